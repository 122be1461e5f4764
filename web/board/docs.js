// What the examples do: a button sets an attribute, calls a method or reads a property of the board
// beside it, and what comes of that is written below, as are the events of the examples that are
// about one.
for (const example of document.querySelectorAll("article")) {
  const board = example.querySelector("tsume-set, tsume-board"), output = example.querySelector("output");
  const show = (value) => (output.textContent = value === undefined ? "undefined" : JSON.stringify(value, null, 1));
  if (example.dataset.event) board.addEventListener(example.dataset.event, (event) => show(event.detail));

  for (const button of example.querySelectorAll("button")) {
    const { attribute, value, method, property } = button.dataset;
    button.addEventListener("click", async () => {
      if (attribute) {
        if (value === undefined) board.removeAttribute(attribute);
        else board.setAttribute(attribute, value);
        if (!example.dataset.event) show(board[attribute]);
      } else {
        const result = method ? await board[method](...JSON.parse(button.dataset.arguments)) : board[property];
        if (!example.dataset.event) show(result);
      }
    });
  }
}
