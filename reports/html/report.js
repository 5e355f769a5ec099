"use strict";
(() => {
    const form = document.getElementById("filter");
    const query = document.getElementById("q");
    const level = document.getElementById("level");
    const fresh = document.getElementById("fresh"); // only with a baseline
    const output = document.getElementById("shown");
    const rules = [...document.querySelectorAll("details.rule")].map(element => ({
        element,
        text: element.querySelector("summary").textContent.toLowerCase(),
        level: element.dataset.level,
        findings: [...element.querySelectorAll(".finding")],
        groups: [...element.querySelectorAll(".group")],
    }));
    const findings = rules.flatMap(rule => rule.findings);
    let texts = null; // of the findings, in lower case; made when it is first searched
    let current = null;

    function searched() {
        texts ??= new Map(findings.map(f => [f, f.textContent.toLowerCase()]));
        return texts;
    }

    // A group that is out of sight takes the room of a line for each of its findings.
    function fit(group) {
        const left = [...group.children].filter(finding => !finding.hidden).length;
        group.hidden = left === 0;
        group.style.containIntrinsicSize = `auto ${1.8 * left}rem`;
    }

    // Every word of the search is in the finding or in the head of its rule.
    function filter() {
        const words = query.value.toLowerCase().split(/\s+/).filter(word => word !== "");
        let shown = 0;
        for (const rule of rules) {
            const wanted = level.value === "" || level.value === rule.level;
            const rest = words.filter(word => !rule.text.includes(word));
            let left = 0;
            for (const finding of rule.findings) {
                const text = rest.length > 0 && wanted ? searched().get(finding) : "";
                const fits = wanted && rest.every(word => text.includes(word)) &&
                    !(fresh?.checked && finding.querySelector(".state-known"));
                finding.hidden = !fits;
                left += fits;
            }
            rule.groups.forEach(fit);
            rule.element.hidden = !wanted || (left === 0 && (rest.length > 0 || fresh?.checked));
            if (words.length > 0 && left > 0) {
                rule.element.open = true;
            }
            shown += left;
        }
        output.textContent = `${shown} of ${findings.length} findings`;
    }

    function parameters() {
        return new URLSearchParams(location.hash.slice(1));
    }

    // The filter is in the address, so that it can be passed on.
    function store() {
        const to = new URLSearchParams();
        if (query.value !== "") {
            to.set("q", query.value);
        }
        if (level.value !== "") {
            to.set("level", level.value);
        }
        if (fresh?.checked) {
            to.set("new", "1");
        }
        const text = to.toString();
        history.replaceState(null, "", text === "" ? location.pathname + location.search : "#" + text);
        filter();
    }

    function clear() {
        query.value = "";
        level.value = "";
        if (fresh !== null) {
            fresh.checked = false;
        }
    }

    // What comes into view only then gets its height, so that the element moves: until it stays.
    function reveal(element, block, frames = 8) {
        element.scrollIntoView({block});
        if (frames > 1) {
            requestAnimationFrame(() => reveal(element, block, frames - 1));
        }
    }

    function show(element) {
        for (let at = element; at !== null; at = at.parentElement) {
            if (at.tagName === "DETAILS") {
                at.open = true;
            }
            at.hidden = false;
        }
        reveal(element, "start");
    }

    function follow() {
        const target = document.getElementById(location.hash.slice(1));
        if (target !== null && target.closest("details.rule") !== null) {
            clear();
            filter();
            show(target);
            line(target).focus({preventScroll: true});
            mark(target.classList.contains("finding") ? target : null);
        } else if (target === null) {
            query.value = parameters().get("q") ?? "";
            level.value = parameters().get("level") ?? "";
            if (fresh !== null) {
                fresh.checked = parameters().has("new");
            }
            filter();
        }
    }

    // What stays in sight of a finding that is open, and may be taller than the window.
    function line(finding) {
        return finding.querySelector("summary") ?? finding;
    }

    function mark(finding) {
        current?.classList.remove("current");
        current = finding;
        current?.classList.add("current");
    }

    function step(by) {
        let at = findings.indexOf(current);
        at = at < 0 && by < 0 ? findings.length : at;
        do {
            at += by;
        } while (findings[at]?.hidden || findings[at]?.closest("details.rule").hidden);
        const next = findings[at];
        if (next !== undefined) {
            mark(next);
            next.closest("details.rule").open = true;
            reveal(line(next), "nearest");
            line(next).focus({preventScroll: true});
        }
    }

    function press(event) {
        const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
        if (event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        if (event.key === "Escape") {
            clear();
            query.blur();
            store();
        } else if (typing) {
            return;
        } else if (event.key === "/") {
            query.focus();
            query.select();
        } else if (event.key === "j" || event.key === "k") {
            step(event.key === "j" ? 1 : -1);
        } else {
            return;
        }
        event.preventDefault();
    }

    // On paper nothing can be opened: the first findings of each rule are, while it is printed.
    let opened = [];
    function beforePrint() {
        const closed = rules.filter(rule => !rule.element.hidden).flatMap(
            rule => [rule.element, ...rule.findings.filter(f => !f.hidden).slice(0, 20)]);
        opened = closed.filter(element => !element.open).slice(0, 1000);
        opened.forEach(element => { element.open = true; });
    }
    function afterPrint() {
        opened.forEach(element => { element.open = false; });
        opened = [];
    }

    if (findings.length > 0) {
        form.hidden = false;
    }
    form.addEventListener("submit", event => event.preventDefault());
    query.addEventListener("input", store);
    level.addEventListener("change", store);
    fresh?.addEventListener("change", store);
    addEventListener("hashchange", follow);
    addEventListener("keydown", press);
    addEventListener("beforeprint", beforePrint);
    addEventListener("afterprint", afterPrint);
    filter();
    follow();
})();
