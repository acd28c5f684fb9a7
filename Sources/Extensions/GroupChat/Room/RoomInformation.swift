internal import DataForms
public import MessageFeatures
internal import MessagePayloads
public import ServiceDiscovery
public import XMPPAddress
internal import XMPPClient

/// What a room announces about itself (XEP-0045 Multi-User Chat §6.4).
public struct RoomInformation: Sendable, Equatable {
    public var name: String?
    public var description: String?
    public var subject: String?
    public var occupantCount: Int?
    public var language: String?
    public var contacts: [JID] = []
    /// How long one must wait between two texts, unless one runs the room (XEP-0500 MUC Slow Mode §4); `nil` for no wait.
    public var slowModeDuration: Duration?
    /// The SHA-1 hashes of the room's picture, in each of its formats (XEP-0486 MUC Avatars §3.3); empty if it has none.
    public var avatarHashes: [String] = []
    /// All announced features.
    public var features: Set<String>
    /// Which reactions the room accepts; `nil` for all.
    public var reactions: ReactionRestrictions?

    public init(features: Set<String> = [], name: String? = nil) {
        self.features = features
        self.name = name
    }

    /// Parses a `disco#info` result.
    public init(_ information: DiscoveryInformation) {
        let identity = information.identities.first { $0.category == "conference" }
        self.init(features: information.features, name: identity?.name)
        reactions = ReactionRestrictions(information.forms)
        guard let form = information.forms.first(where: { $0.formType == RoomNames.information }) else { return }
        func text(_ field: String) -> String? {
            form["muc#roominfo_" + field]?.values.first.flatMap { $0.isEmpty ? nil : $0 }
        }
        description = text("description")
        subject = text("subject")
        occupantCount = text("occupants").flatMap { Int($0) }
        language = text("lang")
        contacts = form["muc#roominfo_contactjid"]?.values.compactMap { try? JID($0) } ?? []
        slowModeDuration = text("slow_mode_duration").flatMap { Int32($0) }.flatMap { $0 > 0 ? .seconds($0) : nil }
        avatarHashes = Self.hashes(form["muc#roominfo_avatarhash"]?.values ?? [])
        if name == nil || name == "" { name = form["muc#roomconfig_roomname"]?.values.first }
    }

    /// The maximum number of formats of a picture that are read.
    private static let formatLimit = 8

    /// SHA-1 in lower case.
    private static func hashes(_ values: [String]) -> [String] {
        func isDigit(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: false
            }
        }
        return values.prefix(formatLimit).map { $0.lowercased() }.filter {
            $0.utf8.count == 40 && $0.utf8.allSatisfy(isDigit)
        }
    }

    public var isRoom: Bool { features.contains(RoomNames.entrance) }
    public var needsPassword: Bool { features.contains("muc_passwordprotected") }
    public var isForMembersOnly: Bool { features.contains("muc_membersonly") }
    public var isHidden: Bool { features.contains("muc_hidden") }
    public var isModerated: Bool { features.contains("muc_moderated") }
    /// Whether all occupants see real addresses; otherwise only moderators do.
    public var isNonAnonymous: Bool { features.contains("muc_nonanonymous") }
    /// Whether the room has an archive.
    public var hasArchive: Bool { features.contains("urn:xmpp:mam:2") }
    /// Whether occupants have trustworthy ids (XEP-0421 §3).
    public var hasOccupantIdentifiers: Bool { features.contains(OccupantIdentifier.name.namespace) }
    /// Whether the room supports hats (XEP-0317).
    public var hasHats: Bool { features.contains(RoomHats.name.namespace) }
    /// Whether moderators can retract other people's messages (XEP-0425 §2), in either version.
    public var hasModeration: Bool { features.contains(ModerationRequest.name.namespace) || hasEarlierModerationOnly }
    var hasEarlierModerationOnly: Bool {
        features.contains(EarlierModerationRequest.feature) && !features.contains(ModerationRequest.name.namespace)
    }
    /// Whether archive ids are assigned by the room (XEP-0359 §6).
    public var hasStanzaIdentifiers: Bool { features.contains("urn:xmpp:sid:0") || hasArchive }
}

extension GroupChat {
    /// The room service of the account's server; `nil` if there is none.
    public func service() async throws(GroupChatError) -> JID? {
        guard let discovery = session[ServiceDiscovery.self] else { return nil }
        do throws(ClientError) {
            return try await discovery.service(offering: RoomNames.entrance)?.address
        } catch {
            throw GroupChatError(error)
        }
    }

    /// The public rooms of a service (XEP-0045 §6.3).
    public func rooms(at service: JID) async throws(GroupChatError) -> [DiscoveryItems.Item] {
        do throws(ClientError) {
            return try await session.request(DiscoveryItemsRequest(), to: service).items
        } catch {
            throw GroupChatError(error)
        }
    }

    /// The information about a room (XEP-0045 §6.4), requested each time.
    ///
    /// - Throws: ``GroupChatError`` with `notFound`; with `notARoom` if neither the address nor its server announces group chat.
    public func information(of room: JID) async throws(GroupChatError) -> RoomInformation {
        let information: RoomInformation
        do throws(ClientError) {
            information = RoomInformation(try await session.request(DiscoveryInformationRequest(), to: room.bare))
        } catch {
            // Servers respond with different errors for a user, whether or not there is one.
            if error.stanzaError != nil, await hasNoRooms(room) { throw .notARoom }
            throw error.stanzaError?.condition == .itemNotFound
                ? GroupChatError(.notFound, "The room does not exist.", cause: error) : GroupChatError(error)
        }
        if !information.isRoom, await hasNoRooms(room) { throw .notARoom }
        return information
    }

    /// Whether the server of an address says of itself that it has no rooms. One that does not respond may have some.
    private func hasNoRooms(_ address: JID) async -> Bool {
        let request = DiscoveryInformationRequest()
        guard let server = try? await session.request(request, to: address.domainJID) else { return false }
        return !server.features.contains(RoomNames.entrance)
    }
}
