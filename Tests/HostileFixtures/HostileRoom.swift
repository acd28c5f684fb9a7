internal import Synchronization
internal import XMLStreaming

/// A chat room of a hostile service (XEP-0045) with an archive (XEP-0313): it says what the test wants in any name.
package final class HostileRoom: Sendable {
    /// What the room announces (XEP-0030).
    package static let plainFeatures = ["http://jabber.org/protocol/muc", "muc_persistent", "muc_open"]
    package static let archive = "urn:xmpp:mam:2"
    package static let occupantIDs = "urn:xmpp:occupant-id:0"
    package static let stanzaIDs = "urn:xmpp:sid:0"

    package let component: HostileComponent
    package let address: String
    private let features: [String]
    /// Messages of the archive: whole `<message/>` elements, oldest first.
    private let archived = Mutex<(dropped: Int, messages: [String])>((0, []))
    /// The nicknames of those who are inside, by full address.
    private let visitors = Mutex<[String: String]>([:])
    private let pages = Mutex(0)

    package init(
        on component: HostileComponent, name: String = "orchard", features: [String] = plainFeatures + [archive],
        archive messages: [String] = []
    ) async {
        self.component = component
        self.features = features
        address = "\(name)@\(component.domain)"
        archived.withLock { $0.messages = messages }
        await component.line.respond { [weak self] element in self?.answers(to: element) ?? [] }
    }

    /// Puts messages into the archive, behind those that are there, of which no more than the newest stay.
    package func keep(_ messages: [String], atMost limit: Int = .max) {
        archived.withLock { archive in
            archive.messages += messages
            let surplus = max(0, archive.messages.count - limit)
            archive.messages.removeFirst(surplus)
            archive.dropped += surplus
        }
    }

    /// The full address of somebody who has entered, by nickname.
    package func visitor(_ nickname: String) -> String? {
        visitors.withLock { $0.first { $0.value == nickname }?.key }
    }

    /// The nicknames of everybody who has entered.
    package var visitorNames: [String] { visitors.withLock { $0.values.sorted() } }
    /// The full addresses of everybody who has entered.
    package var visitorAddresses: [String] { visitors.withLock { $0.keys.sorted() } }
    /// How often somebody has read the archive.
    package var readPages: Int { pages.withLock { $0 } }

    /// Throws everybody out (XEP-0045 §8.2); they can enter again.
    package func throwOut() async throws {
        let thrown = visitors.withLock { visitors in
            defer { visitors = [:] }
            return visitors
        }
        for (visitor, nickname) in thrown {
            try await component.send(
                "<presence from='\(address)/\(nickname)' to='\(visitor)' type='unavailable'>"
                    + "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='none' role='none'/>"
                    + "<status code='307'/><status code='110'/></x></presence>")
        }
    }

    /// Says anything as an occupant to everybody inside.
    package func say(_ text: String, as nickname: String, id: String, extra: String = "") async throws {
        for visitor in visitorAddresses {
            try await component.send(
                "<message from='\(address)/\(nickname)' to='\(visitor)' type='groupchat' id='\(id)'>"
                    + "\(text.isEmpty ? "" : "<body>\(text)</body>")\(extra)</message>")
        }
    }

    /// Another occupant comes or goes.
    package func presence(of nickname: String, isThere: Bool = true, extra: String = "") async throws {
        for visitor in visitorAddresses {
            try await component.send(presence(nickname, to: visitor, isThere: isThere, extra: extra))
        }
    }

    package func presence(_ nickname: String, to visitor: String, isThere: Bool = true, extra: String = "") -> String {
        "<presence from='\(address)/\(nickname)' to='\(visitor)'\(isThere ? "" : " type='unavailable'")>\(extra)"
            + "<x xmlns='http://jabber.org/protocol/muc#user'>"
            + "<item affiliation='none' role='\(isThere ? "participant" : "none")'/></x></presence>"
    }

    private func answers(to element: XMLElement) -> [String] {
        guard let sender = element["from"], let target = element["to"], target.hasPrefix(address) else { return [] }
        switch element.localName {
        case "presence": return entered(element, sender, target)
        case "iq" where element["type"] == "get" || element["type"] == "set":
            return answer(element, from: target, to: sender)
        case "message" where element["type"] == "groupchat":
            guard let nickname = visitors.withLock({ $0[sender] }) else { return [] }
            let body = element.children.first { $0.localName == "body" }?.text ?? ""
            return [
                "<message from='\(address)/\(nickname)' to='\(sender)' type='groupchat' id='\(element["id"] ?? "")'>"
                    + "<body>\(HostileText.escaped(body))</body></message>"
            ]
        default: return []
        }
    }

    private func entered(_ element: XMLElement, _ sender: String, _ target: String) -> [String] {
        let nickname = String(target.dropFirst(address.count + 1))
        guard element["type"] == nil else {
            visitors.withLock { $0[sender] = nil }
            return [
                "<presence from='\(target)' to='\(sender)' type='unavailable'>"
                    + "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='none' role='none'/>"
                    + "<status code='110'/></x></presence>"
            ]
        }
        visitors.withLock { $0[sender] = nickname }
        return [
            "<presence from='\(target)' to='\(sender)'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<item affiliation='member' role='participant'/><status code='110'/></x></presence>",
            "<message from='\(address)' to='\(sender)' type='groupchat'><subject/></message>",
        ]
    }

    private func answer(_ request: XMLElement, from: String, to: String) -> [String] {
        let frame = "from='\(from)' to='\(to)' id='\(request["id"] ?? "")'"
        guard let payload = request.firstChild else { return [] }
        switch payload.namespace {
        case "http://jabber.org/protocol/disco#info":
            let features = features.map { "<feature var='\($0)'/>" }.joined()
            return [
                "<iq type='result' \(frame)><query xmlns='http://jabber.org/protocol/disco#info'>"
                    + "<identity category='conference' type='text' name='Orchard'/>\(features)</query></iq>"
            ]
        case Self.archive where request["type"] == "set":
            return page(queryID: payload["queryid"] ?? "", to: to) + [
                "<iq type='result' \(frame)><fin xmlns='urn:xmpp:mam:2' complete='true'>"
                    + "<set xmlns='http://jabber.org/protocol/rsm'>\(bounds)</set></fin></iq>"
            ]
        default:
            return [
                "<iq type='error' \(frame)><error type='cancel'>"
                    + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
            ]
        }
    }

    private var bounds: String {
        let (dropped, count) = archived.withLock { ($0.dropped, $0.messages.count) }
        return count == 0
            ? "<count>0</count>"
            : "<first index='0'>a\(dropped + 1)</first><last>a\(dropped + count)</last><count>\(count)</count>"
    }

    private func page(queryID: String, to: String) -> [String] {
        pages.withLock { $0 += 1 }
        let (dropped, messages) = archived.withLock { $0 }
        return messages.enumerated().map { index, message in
            let number = dropped + index
            return "<message from='\(address)' to='\(to)'><result xmlns='urn:xmpp:mam:2' queryid='\(queryID)' "
                + "id='a\(number + 1)'><forwarded xmlns='urn:xmpp:forward:0'>"
                + "<delay xmlns='urn:xmpp:delay' stamp='2026-01-02T03:04:\(String(number % 60 + 100).suffix(2))Z'/>"
                + "\(message)</forwarded></result></message>"
        }
    }
}

/// XML by hand, as attackers write it.
package enum HostileText {
    package static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("'", with: "&apos;")
    }
}
