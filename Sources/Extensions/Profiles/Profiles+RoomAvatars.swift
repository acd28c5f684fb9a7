public import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

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
