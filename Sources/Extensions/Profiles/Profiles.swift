internal import PublishSubscribe
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Avatars, nicknames and vCards (XEP-0084 User Avatar, XEP-0153 vCard-Based Avatars, XEP-0172 User Nickname).
///
/// Needs the extension `PublishSubscribe`. Accounts can only make statements about themselves, and a picture must have
/// the announced hash. Announcements of strangers are not stored (`Session.follows(_:)`), because a request for their
/// picture would reveal that this session is online. Changes of contacts are reported as ``events()``.
public final actor Profiles: SessionExtension, StanzaInterceptor {
    /// The number of addresses whose state is stored; a room can have thousands.
    private static let limit = 8192
    /// The maximum length of a nickname, in bytes: several times what a row shows.
    private static let nicknameLimit = 1024
    /// The maximum length of a media type, in bytes (RFC 6838 §4.2: 127 for each half).
    private static let mediaTypeLimit = 255

    nonisolated let session: Session
    private let channel = EventChannel<ProfileEvent>()
    private var nicknames: [JID: String] = [:]
    /// From personal events, which are newer than vCards.
    private var announced: [JID: AvatarMetadata] = [:]
    /// From presence: an inner `nil` means "no picture".
    private var photos: [JID: String?] = [:]

    public init(_ session: Session) {
        self.session = session
    }

    /// Its methods are called for received stanzas, which must not change threads.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }

    public nonisolated var interceptors: [any StanzaInterceptor] { [self] }

    /// The changes of profiles from now on.
    public nonisolated func events() -> AsyncStream<ProfileEvent> { channel.stream() }

    // MARK: State

    /// The hash of the current avatar of a contact, or of an occupant of a room by its full address; `nil` if there is
    /// none or nothing is known yet.
    package func avatarID(of address: JID) -> String? {
        if let metadata = announced[address.bare], photos[address] == nil { return metadata.published?.id }
        return photos[address] ?? announced[address.bare]?.published?.id
    }

    /// The nickname of a contact, if it has announced one.
    public func nickname(of account: JID) -> String? { nicknames[account.bare] }

    func metadata(of account: JID) -> AvatarMetadata? { announced[account] }

    // MARK: Session events

    /// The events are only useful with the extension that reads them.
    public nonisolated var features: [String] {
        session[PublishSubscribe.self] == nil
            ? [] : [AvatarMetadata.node, ProfileNickname.node].map(PublishSubscribe.interest)
    }

    public nonisolated func run(in session: Session) async {
        guard let data = session[PublishSubscribe.self] else { return }
        for await notice in data.notices() where await session.follows(notice.service) { await noticed(notice) }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
    }

    /// A personal event is a statement of an account about itself.
    private func noticed(_ notice: PublishSubscribeNotice) {
        let account = notice.service
        switch notice.event {
        case .items(AvatarMetadata.node, let published, _):
            guard let item = published.last, let metadata = (try? item.decode(AvatarMetadata.self)) ?? nil else {
                return
            }
            // Only the format that can be downloaded is stored.
            let kept = metadata.published.flatMap { $0.mediaType.utf8.count <= Self.mediaTypeLimit ? [$0] : nil }
            changed(account, AvatarMetadata(kept ?? []))
        case .items(ProfileNickname.node, let published, _):
            guard let item = published.last, let nickname = (try? item.decode(ProfileNickname.self)) ?? nil else {
                return
            }
            let isUsable = !nickname.text.isEmpty && nickname.text.utf8.count <= Self.nicknameLimit
            changed(account, isUsable ? nickname.text : nil)
        case .purged(AvatarMetadata.node), .removed(AvatarMetadata.node, _): changed(account, AvatarMetadata())
        case .purged(ProfileNickname.node), .removed(ProfileNickname.node, _): changed(account, nil as String?)
        default: break
        }
    }

    private func changed(_ account: JID, _ metadata: AvatarMetadata) {
        guard announced[account] != metadata, announced[account] != nil || announced.count < Self.limit else { return }
        announced[account] = metadata
        channel.post(.avatarChanged(account, id: metadata.published?.id))
    }

    private func changed(_ account: JID, _ nickname: String?) {
        guard nicknames[account] != nickname, nicknames[account] != nil || nicknames.count < Self.limit else { return }
        nicknames[account] = nickname
        channel.post(.nicknameChanged(account, nickname))
    }

    public nonisolated func concerns(received stanza: AnyStanza) -> Bool {
        guard case .presence(let presence) = stanza else { return false }
        return switch presence.type {
        case .available: presence.payloads.contains(AvatarUpdate.name)
        case .unavailable: true
        default: false
        }
    }

    public nonisolated func concerns(sent stanza: AnyStanza) -> Bool { false }

    /// Reads the hash of the sender's vCard picture.
    public nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .presence(let presence) = stanza, let sender = presence.from {
            switch presence.type {
            case .available:
                if let update = (try? presence.payload(AvatarUpdate.self)) ?? nil, await session.follows(sender) {
                    let isOccupant = presence.payloads.contains(Self.occupantMark)
                    await updated(isOccupant ? sender : sender.bare, update.photo)
                }
            case .unavailable where presence.payloads.contains(Self.occupantMark): await gone(sender)
            default: break
            }
        }
        return .pass(stanza)
    }

    private func updated(_ address: JID, _ photo: AvatarUpdate.Photo) {
        let hash: String?
        switch photo {
        case .unknown: return
        case .none: hash = nil
        case .hash(let text): hash = text
        }
        // If an account has personal events, they take precedence; servers derive this hash from them, sometimes late
        // (XEP-0398).
        guard announced[address] == nil, photos[address] != .some(hash),
            photos[address] != nil || photos.count < Self.limit
        else { return }
        let known = photos.updateValue(hash, forKey: address) ?? nil
        if known != hash { channel.post(.avatarChanged(address, id: hash)) }
    }

    private func gone(_ occupant: JID) {
        photos[occupant] = nil
    }
}

/// A change of a profile.
public enum ProfileEvent: Sendable, Hashable {
    /// The account has another avatar, or none any more. Download it with ``Profiles/avatar(of:)``.
    case avatarChanged(JID, id: String?)
    /// The account has another nickname, or none any more.
    case nicknameChanged(JID, String?)
}

/// Why a profile could not be read or changed.
public struct ProfileError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The picture exceeds the limit.
        case tooLarge = "too large"
        /// The picture does not have the announced hash.
        case wrongHash = "wrong hash"
        /// The session or the peer failed; see ``ProfileError/cause``.
        case refused

        public var description: String { rawValue }
    }

    public let code: Code
    /// What happened, in English.
    public let description: String
    public let cause: ClientError?

    public init(_ code: Code, _ description: String, cause: ClientError? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    init(_ error: ClientError) {
        self.init(.refused, error.description, cause: error)
    }

    static let wrongHash = ProfileError(.wrongHash, "The picture does not have the announced hash.")

    static func tooLarge(_ size: Int, limit: Int) -> ProfileError {
        ProfileError(.tooLarge, "The picture has \(size) bytes; the limit is \(limit).")
    }
}
