// Tells the page around a frame how high its content is, so that it can make the frame as high:
//
//   { type: "tsume-height", height: 612 }   in CSS pixels
//
// Whoever shows the frame may know that, so the message goes to any origin. It has nothing else in
// it, and the frame takes no messages.
if (parent !== window) {
  let told = 0;
  const tell = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height !== told) parent.postMessage({ type: "tsume-height", height }, "*");
    told = height;
  };
  new ResizeObserver(tell).observe(document.body);
}
