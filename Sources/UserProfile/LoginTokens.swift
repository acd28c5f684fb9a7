internal import CredentialStore
internal import Foundation
public import XMPPAddress
public import XMPPClient
public import XMPPStream

/// Keeps what the server gives out in place of the password for the next login (XEP-0484), where the password is kept.
public struct LoginTokens: SignInStore {
    let account: JID

    public init(account: JID) { self.account = account }

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
}
