// The sounds of boards, where look.js says that there are any.

// Sounds are made here: a frequency in Hz, and when it begins and how long it lasts in s.
const PIECE = [[620, 0, 0.06]], WRONG = [[180, 0, 0.25]];
const SOLVED = [[523, 0, 0.5], [659, 0.1, 0.5], [784, 0.2, 0.7]];
const LOUDNESS = 0.2, SILENT = 0.001; // of 1

let audio;

function play(...tones) {
  if (!document.documentElement.dataset.sound) return;
  audio ??= new AudioContext();
  audio.resume(); // a browser lets nothing sound before the reader did something
  for (const [frequency, after, length] of tones) {
    const begin = audio.currentTime + after, tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(LOUDNESS, begin);
    volume.gain.exponentialRampToValueAtTime(SILENT, begin + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + length);
  }
}

addEventListener("change", ({ target }) => target.name === "sound" && play(...PIECE));
addEventListener("tsume-move", () => play(...PIECE));
addEventListener("tsume-wrong", () => play(...WRONG));
addEventListener("tsume-solved", () => play(...SOLVED));
