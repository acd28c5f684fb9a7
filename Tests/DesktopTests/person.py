"""A user at the screen: finds elements like a screen reader (AT-SPI), and acts with the mouse and the keyboard (XTEST).

Receives commands as JSON over HTTP on loopback. A command that cannot be executed yet is tried again until its timeout; nothing
is done without looking, so a failed command has done nothing.
"""
import http.server
import json
import os
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib

# The interval in seconds at which the screen is read.
PAUSE = 0.05
# The delay in seconds between moving and pressing, and between pressing and releasing a button. Without it GTK 4.8 sometimes
# holds back an event of a new mouse until the next one.
HAND = "0.12"
# The maximum number of pixels by which GTK's frame and shadow enlarge a window.
FRAME = 120


class Missing(Exception):
    """The element does not exist, or not yet."""


def xdotool(*words):
    return subprocess.run(["xdotool", *words], check=True, capture_output=True, text=True).stdout.strip()


def children(node):
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield child


def walk(node, everything=False):
    """An element and its descendants. Descendants of an element without a size are not visible."""
    yield node
    if everything or node.get_component_iface() is None or is_seen(node):
        for child in children(node):
            yield from walk(child, everything)


def plain(name):
    """A name without the mark of its mnemonic, and once if GTK returns both the property and the label."""
    name = (name or "").replace("_", "")
    half = len(name) // 2
    twice = len(name) % 2 == 1 and name[half] == " " and name[:half] == name[half + 1:]
    return name[:half] if twice else name


def text_of(node):
    words = node.get_text_iface()
    return Atspi.Text.get_text(words, 0, Atspi.Text.get_character_count(words)) if words else ""


def rectangle(node):
    """Left, top, width and height in the coordinates of the window; GTK provides no others."""
    if node.get_component_iface() is None:
        return 0, 0, 0, 0
    box = node.get_extents(Atspi.CoordType.WINDOW)
    return box.x, box.y, box.width, box.height


def is_seen(node):
    x, _, width, height = rectangle(node)
    # GTK 3 moves hidden elements far away.
    return width > 0 and height > 0 and x > -10000


def program(order):
    for application in children(Atspi.get_desktop(0)):
        try:
            if application.get_process_id() == order["pid"]:
                return application
        except GLib.Error:
            # Another program has just ended.
            continue
    raise Missing("process %d shows no window" % order["pid"])


def matches(node, wanted):
    # A search field is an entry, other fields are texts.
    roles = ("text", "entry") if wanted.get("role") == "text" else (wanted.get("role"),)
    if "role" in wanted and node.get_role_name() not in roles:
        return False
    name = plain(node.get_name())
    if "name" in wanted and name != wanted["name"]:
        return False
    if not all(part in name for part in wanted.get("has", [])):
        return False
    if not name.startswith(wanted.get("begins", "")):
        return False
    if "within" in wanted and not is_within(node, wanted["within"]):
        return False
    return "text" not in wanted or text_of(node) == wanted["text"]


def is_within(node, name):
    """Whether an ancestor has this name."""
    parent = node.get_parent()
    while parent is not None:
        if plain(parent.get_name()) == name:
            return True
        parent = parent.get_parent()
    return False


def find(order):
    """The last matching element: in lists of messages the newest is at the bottom."""
    found = None
    for node in walk(program(order)):
        if matches(node, order["what"]) and is_seen(node):
            found = node
    if found is None:
        raise Missing("there is no %s" % json.dumps(order["what"], ensure_ascii=False))
    return found


def shape_of(window):
    lines = xdotool("getwindowgeometry", "--shell", window).split()
    return {key: int(value) for key, value in (line.split("=") for line in lines)}


def is_popover(node):
    """Popovers with a menu have a role, others only a name for their content."""
    return node.get_role_name() == "menu" or any(child.get_name() == "GtkPopoverContent" for child in children(node))


def window_of(node, pid):
    """The X window of an element, the origin of its coordinates on the screen, and its size.

    GTK draws its frame inside of a window. A popover is a separate window, whose position only X knows: GTK reports the
    positions inside of it as if it were somewhere else.
    """
    inside = node
    while not is_popover(inside) and inside.get_parent().get_role_name() != "application":
        inside = inside.get_parent()
    x, y, width, height = rectangle(inside)
    floats = is_popover(inside)
    fitting = []
    for window in xdotool("search", "--onlyvisible", "--pid", str(pid)).split():
        shape = shape_of(window)
        across, down = shape["WIDTH"] - width, shape["HEIGHT"] - height
        if floats:
            if across == down == 0:
                return window, shape["X"] - x, shape["Y"] - y, rectangle(inside)
        elif (x, y) != (0, 0) and abs(across) < FRAME and abs(down) < FRAME:
            # GTK 3 uses the corner inside of the window manager's frame, which xdotool adds a second time.
            fitting.append((window, shape["X"] + x, shape["Y"] + y, (x, y, width, height)))
        elif 0 <= across < FRAME and 0 <= down < FRAME:
            fitting.append((window, shape["X"] + across // 2, shape["Y"] + down // 2, rectangle(inside)))
    # The title is not always accessible.
    for found in fitting:
        if xdotool("getwindowname", found[0]) == inside.get_name():
            return found
    if fitting:
        return fitting[-1]
    raise Missing("no window on the screen is %r" % inside.get_name())


def place_of(node, order):
    """The position of an element on the screen, once it does not move any more."""
    first = rectangle(node)
    time.sleep(PAUSE)
    if first != rectangle(node):
        raise Missing("it still moves")
    window, left, top, (x, y, width, height) = window_of(node, order["pid"])
    across, down = order.get("at", [0.5, 0.5])
    right, low = first[0] + int(first[2] * across), first[1] + int(first[3] * down)
    if not (x <= right < x + width and y <= low < y + height):
        # A person turns the wheel until it is there.
        if x <= right < x + width:
            middle = str(left + x + width // 2), str(top + y + height // 2)
            xdotool("mousemove", *middle, "sleep", HAND, "click", "5" if low >= y + height else "4")
        raise Missing("it is out of sight")
    return window, left + right, top + low


# Commands that are repeated until they succeed.


def see(order):
    node = find(order)
    return {"name": plain(node.get_name()), "text": text_of(node)}


def miss(order):
    try:
        node = find(order)
    except Missing:
        program(order)
        return {}
    raise Missing("there still is %s" % plain(node.get_name()))


def rows_of(order):
    """The names of the rows of a list, wherever it is scrolled to."""
    return [plain(node.get_name()) for node in walk(find(order), True) if node.get_role_name() == "list item"]


def read(order):
    """Whether a list has rows with all of these texts, in this order."""
    names = rows_of(order)
    rest = iter(names)
    for wanted in order["rows"]:
        if not any(all(part in name for part in wanted) for name in rest):
            raise Missing("no row says %s; there are %s" % (wanted, [name for name in names if ", " in name]))
    return {}


def count(order):
    """Whether a list has exactly this number of rows with all of these texts."""
    found = sum(all(part in name for part in order["rows"][0]) for name in rows_of(order))
    if found != order["count"]:
        raise Missing("%d rows say %s" % (found, order["rows"][0]))
    return {}


def click(order):
    window, x, y = place_of(find(order), order)
    button = str(order.get("button", 1))
    xdotool("mousemove", str(x), str(y), "sleep", HAND, "mousedown", button, "sleep", HAND, "mouseup", button)
    return {}


def swipe(order):
    """Moves the pointer over an element with the button held, as far as the order says."""
    _, x, y = place_of(find(order), order)
    across, steps = order["place"][0], 8
    xdotool("mousemove", str(x), str(y), "sleep", HAND, "mousedown", "1", "sleep", HAND)
    for step in range(1, steps + 1):
        xdotool("mousemove", str(x + across * step // steps), str(y), "sleep", "0.02")
    xdotool("sleep", HAND, "mouseup", "1")
    return {}


def drop(order):
    """Drags files from the window of another program, which is put above and left of an element's middle, to the middle."""
    _, x, y = place_of(find(order), order)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "carry.py")
    carrier = subprocess.Popen([sys.executable, script, *order["keys"]], env=dict(os.environ, GTK_A11Y="none"))
    try:
        window = xdotool("search", "--sync", "--onlyvisible", "--pid", str(carrier.pid)).split()[-1]
        shape = shape_of(window)
        while (shape["X"], shape["Y"]) != (x - 300, y - 200):
            xdotool("windowmove", window, str(x - 300), str(y - 200), "windowraise", window, "sleep", HAND)
            shape = shape_of(window)
        left, top = shape["X"] + shape["WIDTH"] // 2, shape["Y"] + shape["HEIGHT"] // 2
        xdotool("mousemove", str(left), str(top), "sleep", HAND, "mousedown", "1", "sleep", HAND)
        for step in range(1, 11):
            xdotool("mousemove", str(left + (x - left) * step // 10), str(top + (y - top) * step // 10), "sleep", "0.03")
        xdotool("sleep", HAND, "mouseup", "1")
        if carrier.wait(timeout=20) != 0:
            raise Missing("what was dropped was not taken")
    finally:
        carrier.kill()
        carrier.wait()
    return {}


def move(order):
    window = window_of(find(order), order["pid"])[0]
    xdotool("windowmove", window, str(order["place"][0]), str(order["place"][1]))
    return {}


def check_size(window, order):
    shape = shape_of(window)
    if [shape["WIDTH"], shape["HEIGHT"]] != order["place"]:
        raise Missing("the window has %d × %d pixels" % (shape["WIDTH"], shape["HEIGHT"]))


def resize(order):
    """Gives the window of an element a size, and waits until the window has it."""
    window = window_of(find(order), order["pid"])[0]
    try:
        check_size(window, order)
    except Missing:
        xdotool("windowsize", window, *map(str, order["place"]))
        raise
    return {}


def measure(order):
    """Whether the window of an element has a size."""
    check_size(window_of(find(order), order["pid"])[0], order)
    return {}


def fit(order):
    """Whether an element is in its window as a whole."""
    node = find(order)
    _, _, _, (left, top, width, height) = window_of(node, order["pid"])
    x, y, across, down = rectangle(node)
    if x < left or y < top or x + across > left + width or y + down > top + height:
        raise Missing("%s is not in %s" % ((x, y, across, down), (left, top, width, height)))
    return {}


def lie(order):
    """Whether the middle of an element is in a part of the width of its window."""
    node = find(order)
    _, _, _, (left, _, width, _) = window_of(node, order["pid"])
    x, _, across, _ = rectangle(node)
    place = (x + across / 2 - left) / width
    if not order["at"][0] <= place <= order["at"][1]:
        raise Missing("it lies at %.2f of the width" % place)
    return {}


def hold(order):
    """Whether an element or one in it has the keyboard focus."""
    for node in walk(find(order)):
        if node.get_state_set().contains(Atspi.StateType.FOCUSED):
            return {}
    raise Missing("it does not have the focus")


def focus(order):
    """What has the keyboard focus."""
    for node in walk(program(order)):
        if node.get_state_set().contains(Atspi.StateType.FOCUSED):
            return {"name": "%s %s" % (node.get_role_name(), plain(node.get_name())), "text": text_of(node)}
    return {"name": "nothing"}


def front(order):
    """Whether the window of an element has the keyboard focus."""
    if xdotool("getwindowfocus") != window_of(find(order), order["pid"])[0]:
        raise Missing("the keyboard belongs to another window")
    return {}


def paint(order):
    """Whether a point of an element has a colour on the screen."""
    _, x, y = place_of(find(order), order)
    picture = ["import", "-window", "root", "-crop", "1x1+%d+%d" % (x, y), "-depth", "8", "rgb:-"]
    seen = list(subprocess.run(picture, check=True, capture_output=True).stdout[:3])
    if any(abs(one - other) > 24 for one, other in zip(seen, order["colour"])):
        raise Missing("the colour is %s" % seen)
    return {}


def tree(order):
    def lines(node, depth):
        yield "%s%s %r %r %s" % ("  " * depth, node.get_role_name(), plain(node.get_name()), text_of(node)[:60],
                                 rectangle(node))
        for child in children(node):
            yield from lines(child, depth + 1)
    return {"text": "\n".join(lines(program(order), 0))}


def astray(order):
    """Queries a window after the last one, like a screen reader that was notified of a window which was closed meanwhile.

    GTK 4.8 returns the last existing window, even if it is hidden and has no path on the bus, and then crashes.
    """
    app = program(order)
    app.clear_cache()
    try:
        app.get_child_at_index(app.get_child_count())
    except GLib.Error:
        pass
    return {}


# Commands that do not read the screen.


def type_text(order):
    xdotool("type", "--delay", "12", order["text"])
    return {}


def press(order):
    xdotool("key", *order["keys"])
    return {}


def copy(order):
    # GTK pastes a clipboard that it does not own like that of any other program.
    subprocess.run(["xclip", "-selection", "clipboard", "-in"], input=order["text"].encode(), check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {}


LOOKING = {"see": see, "miss": miss, "read": read, "count": count, "click": click, "swipe": swipe, "drop": drop, "move": move, "resize": resize, "measure": measure, "fit": fit, "lie": lie, "hold": hold,
           "focus": focus, "front": front, "paint": paint, "tree": tree, "astray": astray}
ACTING = {"type": type_text, "press": press, "copy": copy}


def look(order):
    """Executes a command once, in a separate process: libatspi caches outdated state, and sometimes crashes."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            Atspi.init()
            answer = {"done": LOOKING[order["do"]](order)}
        except (Missing, GLib.Error, subprocess.CalledProcessError, AttributeError) as reason:
            # An element may have been removed in the meantime: None instead of a parent.
            answer = {"missing": "%s" % reason}
        except BaseException as reason:
            answer = {"broken": "%s: %s" % (type(reason).__name__, reason)}
        with os.fdopen(target, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(target)
    with os.fdopen(source) as pipe:
        words = pipe.read()
    os.waitpid(child, 0)
    return json.loads(words) if words else {"missing": "looking ended early"}


def obey(order):
    if order["do"] in ACTING:
        return {"done": ACTING[order["do"]](order)}
    end = time.monotonic() + order["seconds"]
    while True:
        answer = look(order)
        if "missing" not in answer or time.monotonic() > end:
            return answer
        time.sleep(PAUSE)


class Ear(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        answer = obey(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        body = json.dumps(answer).encode()
        self.send_response(200 if "done" in answer else 404 if "missing" in answer else 500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.HTTPServer(("127.0.0.1", 0), Ear)
    print("port", server.server_port, flush=True)
    server.serve_forever()
