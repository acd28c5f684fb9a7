package import AccountRegistration
internal import Localization
internal import Media
internal import Profiles
package import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

extension ChatAccount {
    /// Connects and signs in like this from the next ``run()`` on. The address stays the same.
    public func use(_ configuration: ClientConfiguration) {
        precondition(configuration.address.bare == address, "An account keeps its address.")
        self.configuration = configuration
    }

    /// What contacts learn from now on.
    public func setDisclosure(receipts: Bool, typing: Bool) {
        policy.tellsReceipts = receipts
        policy.tellsTyping = typing
        stateSupport.setTellsTyping(typing)
        disclosesReceipts.withLock { $0 = receipts }
    }

    // MARK: The own profile

    /// How large an own picture is made at most: it is shown small, and everybody fetches it.
    public static let avatarSide = 256

    /// Shows a picture to all contacts: made small, and without what a camera writes into it (XEP-0084).
    ///
    /// - Throws: ``OwnProfileFailure`` with a sentence.
    public func publishAvatar(_ bytes: [UInt8]) async throws(OwnProfileFailure) {
        let picture: Picture
        do throws(MediaError) {
            var small = try await Picture.thumbnail(of: bytes, max: Self.avatarSide)
            if small.bytes.count > Avatar.publishLimit {
                small = try await Picture.thumbnail(of: bytes, max: Self.avatarSide / 2)
            }
            picture = small
        } catch {
            throw OwnProfileFailure(localized("This is no picture that can be read."))
        }
        try await withProfiles { profiles throws(ProfileError) in
            try await profiles.publish(
                Avatar(
                    picture.bytes, mediaType: picture.type.name, width: picture.width, height: picture.height))
        }
    }

    /// Takes the own picture away.
    public func removeAvatar() async throws(OwnProfileFailure) {
        try await withProfiles { profiles throws(ProfileError) in try await profiles.removeAvatar() }
    }

    /// Tells contacts which name this person goes by; `nil` takes it back (XEP-0172).
    public func publishNickname(_ name: String?) async throws(OwnProfileFailure) {
        try await withProfiles { profiles throws(ProfileError) in try await profiles.publish(nickname: name) }
    }

    private func withProfiles(
        _ body: (Profiles) async throws(ProfileError) -> Void
    ) async throws(OwnProfileFailure) {
        guard let session, await session.isOnline, let profiles = session[Profiles.self] else {
            throw OwnProfileFailure(localized("This needs a connection; try again when the account is online."))
        }
        do throws(ProfileError) {
            try await body(profiles)
        } catch {
            throw OwnProfileFailure(localized("The server did not take it: %@", error.description))
        }
    }

    // MARK: The account itself

    /// Sets another password on the server (XEP-0077 §3.3).
    package func changePassword(to password: String) async throws(RegistrationError) {
        guard let session else { throw RegistrationError(.notConnected) }
        try await session.changePassword(to: password)
    }

    /// Asks to be a contact of somebody who has sent an invitation, with its token (XEP-0379 §4).
    package func acceptInvitation(of contact: JID, token: String?) async {
        guard let session else { return }
        if let token {
            _ = try? await session.send(
                Presence(type: .subscribe, to: contact).appending(Preauthentication(token: token)))
        }
        _ = try? await addContact(contact)
    }
}

/// Why the own profile could not be changed, as a sentence in the person's language.
public struct OwnProfileFailure: Error, Sendable, Hashable {
    public let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
