internal import PublishSubscribe
public import XMLStreaming
public import XMPPAddress
internal import XMPPClient
public import XMPPStanzas

extension Profiles {
    /// Marks presence from a room, whose senders are occupants and not accounts.
    static let occupantMark = XMLName("x", "http://jabber.org/protocol/muc#user")

    /// Downloads the avatar of an account, or of an occupant of a room by its full address.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``ProfileError`` with `tooLarge` or `wrongHash` if the avatar is not acceptable.
    public func avatar(of address: JID) async throws(ProfileError) -> Avatar? {
        switch try await published(by: address) {
        case .unknown: return try await legacyAvatar(of: address)
        case .none: return nil
        case .tooLarge(let size): throw .tooLarge(size, limit: Avatar.fetchLimit)
        case .picture(let bytes, let information):
            let avatar = Avatar(
                bytes, mediaType: information.mediaType, width: information.width, height: information.height)
            return try Self.checked(avatar, information.id)
        }
    }

    /// The content of an account's personal events.
    private enum Published {
        /// No personal events, or none that we may read: the vCard is public.
        case unknown
        case none
        case tooLarge(Int)
        case picture([UInt8], AvatarMetadata.Information)
    }

    private func published(by address: JID) async throws(ProfileError) -> Published {
        guard address.isBare, let data = session[PublishSubscribe.self] else { return .unknown }
        do throws(ClientError) {
            guard let metadata = try await metadata(of: address, in: data) else { return .unknown }
            guard let information = metadata.published else { return .none }
            guard information.byteCount <= Avatar.fetchLimit else { return .tooLarge(information.byteCount) }
            let items = try await data.items(of: AvatarData.node, at: address, ids: [information.id]).items
            let item = items.first { $0.id?.lowercased() == information.id }
            guard let found = (try? item?.decode(AvatarData.self)) ?? nil else { return .unknown }
            return .picture(found.bytes, information)
        } catch  where error.stanzaError != nil {
            return .unknown
        } catch {
            throw ProfileError(error)
        }
    }

    private func metadata(of account: JID, in data: PublishSubscribe) async throws(ClientError) -> AvatarMetadata? {
        if let known = metadata(of: account) { return known }
        let item = try await data.items(of: AvatarMetadata.node, at: account, maximum: 1).items.last
        return (try? item?.decode(AvatarMetadata.self)) ?? nil
    }

    static func checked(_ avatar: Avatar, _ id: String?) throws(ProfileError) -> Avatar {
        guard avatar.bytes.count <= Avatar.fetchLimit else {
            throw .tooLarge(avatar.bytes.count, limit: Avatar.fetchLimit)
        }
        guard id == nil || avatar.id == id else {
            throw .wrongHash
        }
        return avatar
    }

    private func legacyAvatar(of address: JID) async throws(ProfileError) -> Avatar? {
        guard let photo = try await legacyCard(of: address)?.photo else { return nil }
        // The announcement may be older than the card, so it is not a reason to refuse the current picture.
        return try Self.checked(Avatar(photo.bytes, mediaType: photo.mediaType ?? "application/octet-stream"), nil)
    }

    /// Publishes an avatar for everyone who may see our personal events.
    ///
    /// - Throws: ``ProfileError`` with `tooLarge` for more than ``Avatar/publishLimit`` bytes: scale it down first.
    public func publish(_ avatar: Avatar) async throws(ProfileError) {
        guard avatar.bytes.count <= Avatar.publishLimit else {
            throw .tooLarge(avatar.bytes.count, limit: Avatar.publishLimit)
        }
        // The data first, so that no contact is notified of a picture that does not exist yet (XEP-0084 §3.1).
        try await publish(AvatarData(avatar.bytes), id: avatar.id, in: AvatarData.node)
        try await publish(AvatarMetadata([avatar.information]), id: avatar.id, in: AvatarMetadata.node)
    }

    /// Removes our avatar (XEP-0084 §3.5).
    public func removeAvatar() async throws(ProfileError) {
        try await publish(AvatarMetadata(), id: nil, in: AvatarMetadata.node)
    }
}

/// The hash of the picture in the sender's vCard, in presence (XEP-0153 vCard-Based Avatars §4, XEP-0398 User Avatar to
/// vCard-Based Avatars Conversion).
///
/// Only servers send our own: they derive it from the picture in our personal events.
///
/// ```
/// S: <presence from='juliet@capulet.com/balcony'><x xmlns='vcard-temp:x:update'>
///      <photo>01b87fcd030b72895ff8e88db57ec525450f000d</photo></x></presence>
/// ```
public struct AvatarUpdate: PresencePayload, Hashable {
    /// The content of the element.
    public enum Photo: Sendable, Hashable {
        /// The sender does not know its picture yet.
        case unknown
        case none
        /// SHA-1 in hexadecimal.
        case hash(String)
    }

    public static let name = XMLName("x", "vcard-temp:x:update")

    public var photo: Photo

    public init(_ photo: Photo) {
        self.photo = photo
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let text = element.firstChild(Self.photoName)?.text else {
            photo = .unknown
            return
        }
        guard !text.isEmpty else {
            photo = .none
            return
        }
        guard AvatarMetadata.isHash(text) else { throw XMLDecodingError(Self.photoName, .invalidText) }
        photo = .hash(text.lowercased())
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        switch photo {
        case .unknown: break
        case .none: writer.element(Self.photoName, text: "")
        case .hash(let hash): writer.element(Self.photoName, text: hash)
        }
        writer.end()
    }

    private static let photoName = XMLName("photo", name.namespace)
}

/// The picture of a room, which is in its vCard (XEP-0486 MUC Avatars).
extension Profiles {
    /// Downloads the picture of a room.
    ///
    /// - Parameter hashes: what the room announces in its information, `RoomInformation.avatarHashes`.
    /// - Returns: `nil` if the room has none.
    /// - Throws: ``ProfileError`` with `tooLarge`, or with `wrongHash` for a picture that was not announced.
    public func avatar(ofRoom room: JID, hashes: [String]) async throws(ProfileError) -> Avatar? {
        guard !hashes.isEmpty, let photo = try await legacyCard(of: room.bare)?.photo else { return nil }
        let avatar = try Self.checked(
            Avatar(photo.bytes, mediaType: photo.mediaType ?? "application/octet-stream"), nil)
        guard hashes.contains(avatar.id) else { throw .wrongHash }
        return avatar
    }

    /// Publishes the picture of a room, as its owner; `nil` removes it. Other properties of its card stay.
    ///
    /// - Throws: ``ProfileError`` with `tooLarge` for more than ``Avatar/publishLimit`` bytes, or with `refused`.
    public func publish(_ avatar: Avatar?, ofRoom room: JID) async throws(ProfileError) {
        if let avatar, avatar.bytes.count > Avatar.publishLimit {
            throw .tooLarge(avatar.bytes.count, limit: Avatar.publishLimit)
        }
        var card = try await legacyCard(of: room.bare) ?? LegacyVCard()
        card.photo = avatar.map { LegacyVCard.Photo(mediaType: $0.mediaType, bytes: $0.bytes) }
        // A second picture would not be the same any more.
        card.others.removeAll { $0.isNamed(LegacyVCard.photoName) }
        do throws(ClientError) {
            _ = try await session.request(LegacyVCardChange(card), to: room.bare)
        } catch {
            throw ProfileError(error)
        }
    }
}
