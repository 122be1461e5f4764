// There is no service that the boards could ask. They play the solution by themselves: where it ends
// without mate, all that could still be interposed is futile. Of other moves they say that nobody
// can be reached.
for (const board of document.querySelectorAll("tsume-board")) {
  board.fetcher = async (address, { body }) => {
    const { sfen } = body ? JSON.parse(await body.text()) : {};
    if (!sfen?.endsWith(" moves " + board.getAttribute("moves"))) throw new Error("no service");
    return Response.json({ verdict: "mate", length: { low: 0, high: 0 }, moves: [{}] });
  };
}
