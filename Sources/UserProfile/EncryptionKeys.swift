public import ChatEngine
public import CredentialStore
internal import Foundation
public import XMPPAddress

/// The identity key of an account on this computer, where its password is: in the keyring, or in a file that only its
/// owner can read.
///
/// Each profile is a device with its own key, also where several profiles of an account share a keyring.
public struct EncryptionKeys: OMEMOIdentities {
    private let account: JID
    /// The name of the key in the keyring: the address, followed by the folder of a profile other than the usual one.
    private let name: String
    private let credentials: @Sendable () async throws(CredentialError) -> CredentialStore

    /// - Parameter credentials: opens the store of passwords.
    public init(
        account: JID, profile: Profile = Profile(),
        credentials: @escaping @Sendable () async throws(CredentialError) -> CredentialStore = {
            () async throws(CredentialError) in try await CredentialStore.open()
        }
    ) {
        self.account = account.bare
        let isMain = profile.folder == Profile.mainFolder
        name = account.bare.description + (isMain ? "" : " " + profile.folder)
        self.credentials = credentials
    }

    /// The encryption that the list of accounts asks for; `nil` if it is off there, or the account is not in it.
    public func settings(_ file: AccountFile) -> OMEMOSettings? {
        guard let policy = file.account(account)?.encryption else { return nil }
        return OMEMOSettings(identities: self, policy: policy, label: "Hongyan")
    }

    public func search() async throws -> IdentitySearch {
        var search = IdentitySearch()
        let store = try await credentials()
        for store in [store] + store.others {
            guard let text = try await store.identity(for: name) else { continue }
            guard let data = Data(base64Encoded: text) else { throw CredentialError(.invalidText) }
            search.seeds.append(.init(Array(data), in: Self.place(store)))
        }
        // A program outside of the desktop's session, for example of a timer, does not see the keyring.
        if store.isFallback { search.unsearched = [Self.keyring] }
        return search
    }

    public func save(_ seed: [UInt8]) async throws -> String {
        let store = try await credentials()
        try await store.save(identity: Data(seed).base64EncodedString(), for: name)
        return Self.place(store)
    }

    private static let keyring = "keyring"

    /// The name of a store in the records of the account.
    private static func place(_ store: CredentialStore) -> String {
        switch store.kind {
        case .secretService: keyring
        case .file: "file"
        }
    }

    /// Removes the key, when the account leaves the profile.
    public func remove() async throws(CredentialError) {
        let store = try await credentials()
        for store in [store] + store.others { try await store.removeIdentity(for: name) }
    }
}
