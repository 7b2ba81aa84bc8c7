// A search over the sections of all pages, which sections.js has, and a button that copies each block of code. Pages are readable without
// scripts.
"use strict";
const box = document.createElement("input"), found = document.createElement("ul");
box.type = "search";
box.placeholder = "Search";
box.setAttribute("aria-label", "Search all pages");
found.className = "found";
found.setAttribute("role", "status");
document.querySelector("header").append(box);
document.querySelector("header").after(found);

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  const has = text => words.every(word => text.toLowerCase().includes(word));
  const hits = !words.length ? [] : sections.filter(([, title]) => has(title)).concat(sections.filter(([, title, text]) => !has(title) && has(title + " " + text)));
  found.replaceChildren(...hits.slice(0, 12).map(([target, title, text]) => {
    const item = document.createElement("li"), link = document.createElement("a"), some = document.createElement("span");
    const at = Math.max(0, ...words.map(word => text.toLowerCase().indexOf(word)).filter(at => at >= 0).slice(0, 1)) - 40;
    link.href = target;
    link.textContent = title;
    some.textContent = text.slice(Math.max(0, at), Math.max(0, at) + 120);
    link.addEventListener("click", () => found.replaceChildren());
    item.append(link, some);
    return item;
  }));
  if (words.length && !hits.length) found.append(Object.assign(document.createElement("li"), { textContent: "nothing has these words" }));
}
box.addEventListener("input", search);
addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "Escape") {
    box.value = "";
    found.replaceChildren();
  } else if (event.key === "Enter" && document.activeElement === box && found.querySelector("a")) {
    found.querySelector("a").click();
  }
});

if (navigator.clipboard) {
  document.querySelectorAll("main pre").forEach(block => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", () => navigator.clipboard.writeText(block.textContent).then(() => {
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    }));
    block.parentElement.classList.add("copied");
    block.parentElement.append(button);
  });
}
