import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

func presence(_ text: String) throws -> Presence { try Presence(from: element(text)) }

@Suite("Presence")
struct PresenceTests {
    @Test(
        "S0-12: all types, also subscribed, unsubscribe, unsubscribed and error",
        arguments: [
            ("", Presence.Kind.available), ("unavailable", .unavailable), ("subscribe", .subscribe),
            ("subscribed", .subscribed), ("unsubscribe", .unsubscribe), ("unsubscribed", .unsubscribed),
            ("probe", .probe), ("error", .error),
        ])
    func types(name: String, kind: Presence.Kind) throws {
        let presence = try presence(name.isEmpty ? "<presence/>" : "<presence type='\(name)'/>")
        #expect(presence.type == kind)
        #expect(XMLElement(presence)["type"] == (name.isEmpty ? nil : name))
        #expect(try Presence(from: XMLElement(Presence(type: kind))).type == kind)
        #expect(presence.isBroadcast == (kind == .available || kind == .unavailable))
        let subscription: Set<Presence.Kind> = [.subscribe, .subscribed, .unsubscribe, .unsubscribed]
        #expect(presence.isSubscription == subscription.contains(kind))
    }

    @Test(
        "W-4: an unknown type is an error and shows no contact as online", arguments: ["available", "", "invisible"])
    func unknownType(name: String) throws {
        let element = try element("<presence type='\(name)'/>")
        #expect(throws: XMLDecodingError.self) { try Presence(from: element) }
    }

    @Test(
        "S0-13: the show values are chat, away, xa and dnd; missing and unknown ones mean available",
        arguments: [
            ("<show>chat</show>", Presence.Show.chat, 4), ("<show>away</show>", .away, 2),
            ("<show>xa</show>", .extendedAway, 1), ("<show>dnd</show>", .doNotDisturb, 0), ("", nil, 3),
            ("<show>gone fishing</show>", nil, 3), ("<show> away </show>", .away, 2),
        ] as [(String, Presence.Show?, Int)])
    func show(content: String, show: Presence.Show?, value: Int) throws {
        let presence = try presence("<presence>\(content)</presence>")
        #expect(presence.show == show)
        #expect(presence.showValue == value)
    }

    @Test("S0-14: status is free text, by language")
    func status() throws {
        let presence = try presence(
            "<presence xml:lang='en'><show>dnd</show><status>Wooing Juliet</status><status xml:lang='cs'>Dvořím se Julii</status></presence>"
        )
        #expect(presence.status == "Wooing Juliet")
        #expect(presence.statuses["cs"] == "Dvořím se Julii")
        #expect(presence.statuses["en"] == "Wooing Juliet")
    }

    @Test(
        "priority is −128…127, 0 if missing; values out of range are clamped",
        arguments: [
            ("<priority>1</priority>", 1), ("<priority>-128</priority>", -128), ("<priority>127</priority>", 127),
            ("", 0), ("<priority>128</priority>", 127), ("<priority>-129</priority>", -128),
            ("<priority>99999999999999999999999</priority>", 127),
            ("<priority>-99999999999999999999999</priority>", -128),
            ("<priority>high</priority>", 0), ("<priority/>", 0), ("<priority> 5\n</priority>", 5),
            ("<priority>-</priority>", 0), ("<priority>--5</priority>", 0),
        ])
    func priority(content: String, value: Int) throws {
        #expect(try presence("<presence>\(content)</presence>").priority == Int8(value))
    }

    @Test("S0-67: a presence is created empty, by type, by type and receiver, with show, status and priority")
    func building() throws {
        #expect(XMLElement(Presence()) == (try element("<presence/>")))
        let request = Presence(type: .subscribe, to: try JID("a@example.org"))
        #expect(XMLElement(request) == (try element("<presence type='subscribe' to='a@example.org'/>")))
        #expect(!request.isBroadcast)
        let busy = Presence(show: .extendedAway, status: "我现在很忙", priority: -1)
        let written = try element("<presence><show>xa</show><status>我现在很忙</status><priority>-1</priority></presence>")
        #expect(XMLElement(busy) == written)
        #expect(try Presence(from: written) == busy)
        #expect(try presence("<presence type='error'/>").isErrorPresence)
    }

    @Test("the bounds of priority are written and read back", arguments: [Int8.min, -1, 0, 1, .max])
    func priorityRoundTrip(value: Int8) throws {
        var presence = Presence(priority: 9)
        presence.priority = value
        #expect(try Presence(from: XMLElement(presence)).priority == value)
    }

    @Test("an error reply swaps the addresses; an error gets no reply")
    func errorReply() throws {
        let presence = try presence("<presence from='a@x.org' to='room@y.org/nick' id='4'/>")
        let reply = try #require(presence.errorReply(StanzaError(.conflict)))
        #expect(try reply.to == JID("a@x.org") && reply.from == JID("room@y.org/nick") && reply.id == "4")
        #expect(reply.errorReply(StanzaError(.conflict)) == nil)
    }
}
