internal import CredentialStore
internal import Foundation
public import SASLMechanisms
public import XMPPAddress
public import XMPPClient
public import XMPPStream

/// Saves what a login teaches for the next one: what the server gives out in place of the password (XEP-0484), where the password
/// is; and the mechanism, in the list of accounts.
public struct LoginTokens: SignInStore {
    let account: JID
    private let directory: String

    /// - Parameter directory: where the list of accounts is.
    public init(account: JID, directory: String = AccountFile.defaultDirectory) {
        self.account = account
        self.directory = directory
    }

    private var name: String { account.bare.description }

    /// The token of the last login; `nil` where there is none, or none that can be read. The password is there, too.
    public var token: FASTToken? {
        get async {
            guard let text = try? await CredentialStore.open().token(for: name) else { return nil }
            return try? JSONDecoder().decode(FASTToken.self, from: Data(text.utf8))
        }
    }

    /// A token that cannot be kept costs nothing but the way around by the password.
    public func saveToken(_ token: FASTToken?) async {
        guard let store = try? await CredentialStore.open() else { return }
        guard let token, let data = try? JSONEncoder().encode(token) else {
            try? await store.removeToken(for: name)
            return
        }
        try? await store.save(token: String(decoding: data, as: UTF8.self), for: name)
    }

    /// Of an account that is not in the list nothing is saved. A list that cannot be written costs the protection that it had
    /// before the first login, and no login.
    public func saveMechanism(_ mechanism: SASLMechanismName) async {
        guard var file = try? AccountFile(directory: directory), var entry = file.account(account) else { return }
        entry.lastMechanism = mechanism.rawValue
        try? file.change(entry)
    }
}
