internal import Foundation
internal import Glibc
public import XMPPAddress
public import XMPPStream

extension UserAgent {
    /// This installation for the server of one account: a name that was never used before.
    public static func newInstallation() -> UserAgent? { installation(UUID().uuidString) }

    /// What the server is told, and may show to the owner of the account in a list of devices.
    public static func installation(_ id: String) -> UserAgent? {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let device = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return UserAgent(id: id, software: "Hongyan", device: isKnown && !device.isEmpty ? device : nil)
    }
}

extension AccountFile {
    /// The user agent of an account that is kept here: the same for ever, made when it is asked for first.
    public mutating func userAgent(of address: JID) throws(ProfileFailure) -> UserAgent? {
        guard var account = account(address) else { return nil }
        if let known = account.userAgent.flatMap(UserAgent.installation) { return known }
        let new = UserAgent.newInstallation()
        account.userAgent = new?.id
        try change(account)
        return new
    }
}
