public import XMLStreaming
public import XMPPAddress
import XMPPClient
public import XMPPStanzas

/// Which messages the server stores in the account's archive (XEP-0441 Message Archive Management Preferences §2).
///
/// ```
/// C: <iq type='set'><prefs xmlns='urn:xmpp:mam:2' default='roster'>
///      <always><jid>romeo@montague.lit</jid></always><never><jid>montague@montague.lit</jid></never></prefs></iq>
/// ```
///
/// As a request it changes the preferences; the response contains the preferences that the server applied, which may
/// differ.
public struct ArchivePreferences: IQRequest, IQResponse, Hashable {
    public typealias Response = ArchivePreferences

    /// The rule for addresses that are in neither list (§2.1.1).
    public enum Rule: String, Sendable, CaseIterable {
        case always, never
        /// Stored if the other side is on the contact list.
        case roster
    }

    public static let name = XMLName("prefs", ArchiveQuery.name.namespace)
    public static let iqType = IQ.Kind.set
    private static let alwaysName = XMLName("always", name.namespace)
    private static let neverName = XMLName("never", name.namespace)
    private static let addressName = XMLName("jid", name.namespace)

    public var standard: Rule
    /// Addresses whose messages are stored. A bare address includes all of its resources.
    public var always: [JID]
    /// Addresses whose messages are not stored.
    public var never: [JID]

    public init(_ standard: Rule, always: [JID] = [], never: [JID] = []) {
        self.standard = standard
        self.always = always
        self.never = never
    }

    /// Whether messages from and to an address are stored (§2.1).
    public func keeps(_ peer: JID, isContact: Bool) -> Bool {
        func names(_ address: JID) -> Bool { address == peer || address == peer.bare }
        if never.contains(where: names) { return false }
        if always.contains(where: names) { return true }
        return standard == .always || standard == .roster && isContact
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let standard: Rule = try element.value("default") else {
            throw XMLDecodingError(Self.name, .missingAttribute("default"))
        }
        self.init(
            standard, always: try Self.addresses(element.firstChild(Self.alwaysName)),
            never: try Self.addresses(element.firstChild(Self.neverName)))
    }

    private static func addresses(_ list: XMLElement?) throws(XMLDecodingError) -> [JID] {
        var addresses: [JID] = []
        guard let list else { return addresses }
        for child in list.children where child.isNamed(addressName) {
            // An ignored entry would change the preferences when the list is sent back.
            guard let address = try? JID(child.text) else { throw XMLDecodingError(addressName, .invalidText) }
            addresses.append(address)
        }
        return addresses
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("default", standard.rawValue)
        for (name, addresses) in [(Self.alwaysName, always), (Self.neverName, never)] {
            writer.start(name)
            for address in addresses { writer.element(Self.addressName, text: address.description) }
            writer.end()
        }
        writer.end()
    }
}

/// Requests the archive preferences (XEP-0441 Message Archive Management Preferences §2.1).
public struct ArchivePreferencesRequest: IQRequest, EmptyPayload, Hashable {
    public typealias Response = ArchivePreferences

    public static let name = ArchivePreferences.name

    public init() {}
}

extension MessageArchive {
    /// The preferences that decide which messages the server archives (XEP-0441); not every server supports them.
    public func preferences() async throws(ArchiveError) -> ArchivePreferences {
        do {
            return try await session.request(ArchivePreferencesRequest())
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }

    /// Changes which messages the server archives.
    ///
    /// - Returns: The preferences that the server applied, which may differ.
    @discardableResult
    public func setPreferences(_ preferences: ArchivePreferences) async throws(ArchiveError) -> ArchivePreferences {
        do {
            return try await session.request(preferences)
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }
}
