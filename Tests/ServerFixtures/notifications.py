"""A notification server (org.freedesktop.Notifications), which writes each notification as a line of JSON to a file in the home folder.

notifications.py [CAPABILITY…]

A test acts as the user through the interface im.hongyan.Test: it clicks, replies, or dismisses a notification.
"""
import json
import pathlib
import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
INTERFACES = """
<node>
<interface name="org.freedesktop.Notifications">
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/>
    <arg type="i" direction="in"/><arg type="u" direction="out"/>
  </method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="GetServerInformation">
    <arg type="s" direction="out"/><arg type="s" direction="out"/><arg type="s" direction="out"/>
    <arg type="s" direction="out"/>
  </method>
  <signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
  <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
  <signal name="NotificationReplied"><arg type="u"/><arg type="s"/></signal>
</interface>
<interface name="im.hongyan.Test">
  <method name="Click"><arg type="u" direction="in"/><arg type="s" direction="in"/></method>
  <method name="Reply"><arg type="u" direction="in"/><arg type="s" direction="in"/></method>
  <method name="Dismiss"><arg type="u" direction="in"/></method>
</interface>
</node>
"""


class Notifications:
    def __init__(self, capabilities):
        self.path = pathlib.Path.home() / "notifications"
        self.capabilities = capabilities or ["body", "actions"]
        self.count = 0

    def write(self, line):
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def notify(self, arguments):
        _, replaced, _, title, body, actions, hints, _ = arguments
        number = replaced
        if not number:
            self.count += 1
            number = self.count
        picture = hints.pop("image-data", None)
        if picture:
            hints["picture"] = [picture[0], picture[1], len(picture[6])]
        self.write({"id": number, "title": title, "body": body, "actions": actions, "hints": hints})
        return number

    def call(self, connection, _sender, _object, _interface, method, parameters, invocation):
        def tell(signal, value):
            connection.emit_signal(None, PATH, NAME, signal, value)

        arguments, answer = parameters.unpack(), None
        if method == "Notify":
            answer = GLib.Variant("(u)", (self.notify(arguments),))
        elif method == "CloseNotification":
            self.write({"closed": arguments[0]})
            tell("NotificationClosed", GLib.Variant("(uu)", (arguments[0], 3)))
        elif method == "GetCapabilities":
            answer = GLib.Variant("(as)", (self.capabilities,))
        elif method == "GetServerInformation":
            answer = GLib.Variant("(ssss)", ("test", "test", "1", "1.2"))
        elif method == "Click":
            tell("ActionInvoked", GLib.Variant("(us)", arguments))
        elif method == "Reply":
            tell("NotificationReplied", GLib.Variant("(us)", arguments))
        elif method == "Dismiss":
            tell("NotificationClosed", GLib.Variant("(uu)", (arguments[0], 2)))
        invocation.return_value(answer)


def main():
    service = Notifications(sys.argv[1:])
    interfaces = Gio.DBusNodeInfo.new_for_xml(INTERFACES).interfaces
    loop = GLib.MainLoop()
    # The next server replaces this one.
    flags = Gio.BusNameOwnerFlags.ALLOW_REPLACEMENT | Gio.BusNameOwnerFlags.REPLACE

    def begin(connection, _name):
        for interface in interfaces:
            connection.register_object(PATH, interface, service.call)

    Gio.bus_own_name(
        Gio.BusType.SESSION, NAME, flags, begin, lambda *_: print("ready", flush=True),
        lambda *_: loop.quit())
    loop.run()


main()
