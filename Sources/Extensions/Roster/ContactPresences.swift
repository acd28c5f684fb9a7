internal import EntityInformation
internal import Synchronization
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// The available devices of contacts, with their latest presence (RFC 6121 §4.7).
///
/// Anyone can send presence (RFC 6121 §4.6), so it is stored only for addresses in the list, and before the list has
/// arrived for a limited number of addresses. Only what ``Contact`` shows is stored.
struct ContactPresences {
    /// The maximum number of devices per contact: more is an attack.
    static let deviceLimit = 64
    /// The maximum number of addresses before the list has arrived. The list is requested before presence is sent, so
    /// these are few.
    static let unlistedLimit = 1024
    /// The size in bytes up to which a presence is kept as it was received. Usual ones have a third of it.
    static let wholeLimit = 1024

    private var devices: [JID: [JID: Presence]] = [:]

    /// The number of known devices.
    var count: Int { devices.values.reduce(0) { $0 + $1.count } }

    subscript(_ contact: JID) -> [JID: Presence] { devices[contact] ?? [:] }

    /// - Parameter isListed: whether the address is in the list; `nil` before the list has arrived.
    /// - Returns: whether the presence was stored.
    mutating func available(_ presence: Presence, from sender: JID, isListed: Bool?) -> Bool {
        let contact = sender.bare
        switch isListed {
        case true?: break
        case false?: return false
        case nil: guard devices[contact] != nil || devices.count < Self.unlistedLimit else { return false }
        }
        return Self.store(presence, of: sender, in: &devices[contact, default: [:]])
    }

    /// In place, because each look at a dictionary costs a hash.
    private static func store(_ presence: Presence, of sender: JID, in devices: inout [JID: Presence]) -> Bool {
        guard devices.count < deviceLimit || devices[sender] != nil else { return false }
        devices[sender] = presence.shown
        return true
    }

    /// A bare address means all devices.
    mutating func unavailable(_ sender: JID) {
        guard !sender.isBare else { return remove(sender) }
        guard devices[sender.bare]?.removeValue(forKey: sender) != nil else { return }
        if devices[sender.bare]?.isEmpty == true { devices[sender.bare] = nil }
    }

    mutating func remove(_ contact: JID) { devices[contact] = nil }
    mutating func removeAll() { devices = [:] }
    /// The list has arrived: addresses outside it are not contacts.
    mutating func removeAll(where isOutside: (JID) -> Bool) { devices = devices.filter { !isOutside($0.key) } }
}

extension Presence {
    /// The part of a presence that a contact list shows; the rest would keep a large stanza in memory. One of usual size is kept as it
    /// is, which needs no more memory and takes a tenth of the time.
    fileprivate var shown: Presence {
        if let byteCount = payloads.receivedByteCount, byteCount <= ContactPresences.wholeLimit { return self }
        var kept = Presence(show: show, status: shortStatus, priority: priority)
        kept.from = from
        if let idle = (try? payload(IdleTime.self)) ?? nil { kept.append(idle) }
        return kept
    }
}

/// Passes presence and pushes to the contact list in the order of the stream, before observers see them.
final class RosterInterceptor: StanzaInterceptor {
    private let current = Mutex<Roster?>(nil)

    var roster: Roster? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    func concerns(received stanza: AnyStanza) -> Bool {
        switch stanza {
        case .presence: true
        case .iq(let iq): iq.isResult || iq.isSet && iq.payload?.isNamed(RosterQuery.name) == true
        case .message: false
        }
    }

    func concerns(sent stanza: AnyStanza) -> Bool { false }

    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard let roster else { return .pass(stanza) }
        let account = session.address
        return roster.onLoop((stanza, account)) { $0.takes($1.0, to: $1.1) } ? .pass(stanza) : nil
    }

    /// Only requests for subscriptions, and their end, need something that has to be waited for.
    nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .presence(let presence) = stanza, let sender = presence.from {
            await roster?.take(presence, from: sender)
        }
        return .pass(stanza)
    }
}
