// What the examples do to the board beside them: a button flip="" sets an attribute, – flip removes it,
// play("G*5c") calls a method, and played reads a property. What comes of that is written below, as are
// the events of the examples that are about one.
const step = /^(?:– (?<removed>\S+)|(?<attribute>[^("]+)="(?<value>.*)"|(?<method>\w+)\((?<given>.*)\)|(?<property>\w+))$/;
for (const example of document.querySelectorAll("article")) {
  const board = example.querySelector("tsume-set, tsume-board"), output = example.querySelector("output");
  const show = (value) => (output.textContent = value === undefined ? "undefined" : JSON.stringify(value, null, 1));
  if (example.dataset.event) board.addEventListener(example.dataset.event, (event) => show(event.detail));

  for (const button of example.querySelectorAll("button")) {
    const { removed, attribute, value, method, given, property } = button.textContent.match(step).groups;
    button.addEventListener("click", async () => {
      if (removed) board.removeAttribute(removed);
      if (attribute) board.setAttribute(attribute, value);
      const result = await (method ? board[method](...JSON.parse(`[${given}]`)) : board[removed ?? attribute ?? property]);
      if (!example.dataset.event) show(result);
    });
  }
}
