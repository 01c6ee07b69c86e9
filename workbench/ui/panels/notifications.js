// Shows new signals as notifications of the browser, once the reader has allowed them. Everything it is
// given is data: it is put into notifications and text nodes, never into markup.

const SEEN = "workbench.signals.seen";
const REMEMBERED = 500;
const AT_ONCE = 3;

function seen() {
  try {
    return JSON.parse(localStorage.getItem(SEEN)) ?? null;
  } catch {
    return null;
  }
}

function remember(ids) {
  localStorage.setItem(SEEN, JSON.stringify([...ids].slice(-REMEMBERED)));
}

function announce(signals) {
  const known = seen();
  if (known === null) {
    remember(signals.map((signal) => signal.id)); // what was there before is not news
    return;
  }
  const fresh = signals.filter((signal) => !known.includes(signal.id));
  const loudest = [...fresh].sort((one, other) => other.stays - one.stays).slice(0, AT_ONCE);
  for (const signal of loudest.reverse()) {
    const shown = new Notification(signal.title, {
      body: signal.body,
      tag: signal.id,
      requireInteraction: signal.stays,
    });
    shown.onclick = () => {
      window.focus();
      window.location.assign(signal.address);
    };
  }
  if (fresh.length) remember([...known, ...fresh.map((signal) => signal.id)]);
}

export default function ({ data, parentElement }) {
  let place = parentElement.querySelector("[data-notifications]");
  if (!place) {
    place = document.createElement("div");
    place.dataset.notifications = "";
    place.style.cssText = "font-size:0.8rem;font-family:var(--st-font);color:var(--st-text-color);opacity:0.75";
    parentElement.appendChild(place);
  }
  const { signals, words } = data;
  const draw = () => {
    place.replaceChildren();
    if (!("Notification" in window)) {
      place.textContent = words.absent;
    } else if (Notification.permission === "granted") {
      place.textContent = words.on;
      announce(signals);
    } else if (Notification.permission === "denied") {
      place.textContent = words.denied;
    } else {
      const ask = document.createElement("button");
      ask.textContent = words.ask;
      ask.style.cssText =
        "font:inherit;color:var(--st-link-color);background:none;border:0;padding:0;cursor:pointer";
      ask.onclick = async () => {
        remember(signals.map((signal) => signal.id));
        await Notification.requestPermission();
        draw();
      };
      place.appendChild(ask);
    }
  };
  draw();
}
