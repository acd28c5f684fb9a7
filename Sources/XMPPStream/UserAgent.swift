/// Which installation of which program logs in (XEP-0388 §2.3), for the server and for the list of devices that it may
/// show to the account's owner; nobody else is told.
///
///     <user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'>
///       <software>Hongyan</software><device>Kitchen</device>
///     </user-agent>
public struct UserAgent: Hashable, Codable, Sendable {
    /// A random UUID (version 4) that stays the same for one account on one installation: servers keep a client's
    /// token and the name of its resource under it.
    public let id: String
    /// The name of the program.
    public var software: String?
    /// The name of the computer, as its owner would call it.
    public var device: String?

    /// - Returns: `nil` where `id` is no UUID of version 4; servers refuse the login then.
    public init?(id: String, software: String? = nil, device: String? = nil) {
        guard Self.isRandomUUID(id) else { return nil }
        self.id = id.lowercased()
        self.software = software
        self.device = device
    }

    /// RFC 9562 §4, §5.4: groups of 8, 4, 4, 4 and 12 hexadecimal digits; version 4, variant 10xx.
    private static func isRandomUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return false }
        let areDigits = groups.allSatisfy { $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
        return areDigits && groups[2].first == "4" && "89abAB".contains(groups[3].first ?? " ")
    }
}
