package import AccountRegistration
internal import Media
public import Profiles
internal import XMPPClient

/// The account's avatar and nickname, and its password.
public struct ProfileService: Sendable {
    private let context: AccountContext

    init(_ context: AccountContext) { self.context = context }

    /// The longest side of the published avatar in pixels: it is shown small, and every contact downloads it.
    public static let avatarSide = 256

    /// Publishes an avatar, scaled down and without metadata (XEP-0084).
    ///
    /// - Throws: ``OwnProfileFailure``: not connected, not a picture, or refused by the server.
    public func publishAvatar(_ bytes: [UInt8]) async throws(OwnProfileFailure) {
        let avatar = try await Self.avatar(of: bytes)
        try await withProfiles { profiles throws(ProfileError) in try await profiles.publish(avatar) }
    }

    /// A picture as it is published: small, and without metadata.
    static func avatar(of bytes: [UInt8]) async throws(OwnProfileFailure) -> Avatar {
        let picture: Picture
        do throws(MediaError) {
            var small = try await Picture.thumbnail(of: bytes, max: Self.avatarSide)
            if small.bytes.count > Avatar.publishLimit {
                small = try await Picture.thumbnail(of: bytes, max: Self.avatarSide / 2)
            }
            picture = small
        } catch {
            throw OwnProfileFailure.unreadablePicture
        }
        return Avatar(picture.bytes, mediaType: picture.type.name, width: picture.width, height: picture.height)
    }

    /// Removes the avatar.
    public func removeAvatar() async throws(OwnProfileFailure) {
        try await withProfiles { profiles throws(ProfileError) in try await profiles.removeAvatar() }
    }

    /// Publishes the nickname; `nil` removes it (XEP-0172).
    public func publishNickname(_ name: String?) async throws(OwnProfileFailure) {
        try await withProfiles { profiles throws(ProfileError) in try await profiles.publish(nickname: name) }
    }

    /// Changes the password on the server (XEP-0077 §3.3).
    package func changePassword(to password: String) async throws(RegistrationError) {
        guard let session = context.session else { throw RegistrationError(.notConnected) }
        try await session.changePassword(to: password)
    }

    /// Deletes the account on its server permanently (XEP-0077 §3.2). The server ends the session.
    package func deleteAccount() async throws(RegistrationError) {
        guard let session = context.session else { throw RegistrationError(.notConnected) }
        try await session.cancelAccount()
    }

    private func withProfiles(
        _ body: (Profiles) async throws(ProfileError) -> Void
    ) async throws(OwnProfileFailure) {
        guard let session = await context.onlineSession, let profiles = session[Profiles.self] else {
            throw OwnProfileFailure.notConnected
        }
        do throws(ProfileError) {
            try await body(profiles)
        } catch {
            throw OwnProfileFailure.refused(error)
        }
    }
}

/// Why the account's profile could not be changed.
public enum OwnProfileFailure: Error, Sendable {
    case notConnected
    /// The data is not a readable picture.
    case unreadablePicture
    case refused(ProfileError)
}
