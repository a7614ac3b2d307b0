"use strict";
(() => {
  const PAGE = 8;

  for (const box of document.querySelectorAll(".fires")) {
    const list = box.querySelector(".list");
    const drawn = [...list.children];
    const form = box.querySelector(".controls");
    const pager = box.querySelector(".pager");
    const status = pager.querySelector("[role=status]");
    const buttons = [...pager.querySelectorAll("button")];
    let page = 0;

    const chosen = () => {
      const order = form.elements.order.value;
      const rows = drawn.filter((row) =>
        ["kind", "dataset", "population"].every((name) => {
          const wanted = form.elements[name].value;
          return wanted === "" || row.dataset[name] === wanted;
        }));
      if (order === "") return rows;
      const value = (row) => (order in row.dataset ? Number(row.dataset[order]) : -Infinity);
      return rows.sort((a, b) => value(b) - value(a));
    };

    const show = () => {
      const rows = chosen();
      const pages = Math.max(1, Math.ceil(rows.length / PAGE));
      page = Math.min(Math.max(page, 0), pages - 1);
      const from = page * PAGE;
      for (const row of drawn) row.hidden = true;
      rows.forEach((row, place) => {
        row.hidden = place < from || place >= from + PAGE;
        list.append(row);
      });
      status.textContent = rows.length
        ? `${from + 1} to ${Math.min(from + PAGE, rows.length)} of ${rows.length}`
        : "none of this choice in the sample";
      buttons[0].disabled = page === 0;
      buttons[1].disabled = page === pages - 1;
    };

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", () => { page = 0; show(); });
    for (const button of buttons) {
      button.addEventListener("click", () => { page += Number(button.dataset.step); show(); });
    }
    form.hidden = false;
    pager.hidden = false;
    show();
  }

  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      fold.open = true;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
})();
