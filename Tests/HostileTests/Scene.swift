import ChatStore
import HostileFixtures
import ServerFixtures
import Testing

/// A victim that is online, and two services that attack it.
struct Scene: Sendable {
    let server: any PrivateServer
    let victim: Victim
    let stranger: HostileComponent
    let friend: HostileComponent

    static func make(_ kind: Server = .prosody) async throws -> Scene {
        try await make(on: kind.shared())
    }

    static func make(on server: any PrivateServer) async throws -> Scene {
        let scene = Scene(
            server: server, victim: try await Victim(on: server),
            stranger: try await HostileComponent(to: server), friend: try await HostileComponent(to: server))
        try await scene.victim.start()
        return scene
    }

    var address: String { victim.address.description }
    var strange: String { stranger.stranger }
    var friendly: String { "friend@\(friend.domain)" }

    /// A chat message of the stranger.
    func say(_ body: String, id: String? = nil, extra: String = "", attributes: String = "") async throws {
        try await stranger.send(Self.message(strange + "/r", to: address, body, id: id, extra: extra, attributes))
    }

    /// A chat message of the contact.
    func befriended(_ body: String, id: String? = nil, extra: String = "") async throws {
        try await friend.send(Self.message(friendly + "/r", to: address, body, id: id, extra: extra))
    }

    static func message(
        _ from: String, to: String, _ body: String, id: String? = nil, extra: String = "", _ attributes: String = ""
    ) -> String {
        "<message from='\(from)' to='\(to)' type='chat' id='\(id ?? body)'\(attributes)>"
            + "<body>\(HostileText.escaped(body))</body>\(extra)</message>"
    }

    /// The victim has processed everything that was sent before.
    func settle() async throws {
        let marker = "marker-\(UInt32.random(in: 0 ... .max))"
        _ = try await stranger.settles()
        _ = try await friend.settles()
        try await befriended(marker)
        try await victim.gets(marker)
        try await say(marker + "-2")
        try await victim.gets(marker + "-2")
    }

    /// Everything that the victim has sent to the stranger so far. A message of the victim is sent after all of its
    /// responses.
    func told() async throws -> [String] {
        let last = "last-\(UInt32.random(in: 0 ... .max))"
        _ = try await victim.account.send(.text(.init(last)), in: victim.key(strange))
        try await stranger.line.next("the victim's last word") {
            $0.children.contains { $0.localName == "body" && $0.text == last }
        }
        return await stranger.received(from: address).filter { element in
            // ejabberd asks for capabilities in the name of its users.
            guard element["id"]?.hasPrefix("rr-") != true else { return false }
            // What the user writes to the stranger is disclosed on purpose.
            return !element.children.contains { $0.localName == "body" && $0.text == last }
                && !(element.localName == "message" && element.children.allSatisfy { $0.localName == "active" })
        }.map { $0.description }
    }
}

extension LocalStore {
    /// The addresses of the contacts.
    func contacts(of account: AccountID) async throws -> [String] {
        try await read { reader throws(StoreError) in try reader.contacts(of: account).map(\.address.description) }
    }
}

/// The servers through which attacks are sent: the most common ones.
enum Server: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case prosody = "Prosody 0.12"
    case ejabberd = "ejabberd 23.01"

    var testDescription: String { rawValue }

    /// A server that all attacks share; every test has its own attackers and accounts.
    func shared() async throws -> any PrivateServer {
        try await (self == .prosody ? ServerKind.prosody012 : .ejabberd2301).shared(HostileComponent.options())
    }
}
