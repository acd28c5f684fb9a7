internal import PublishSubscribe
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Who people say they are: pictures and names (XEP-0084 User Avatar, XEP-0153 vCard-Based Avatars, XEP-0172 User Nickname).
///
/// Needs the extension `PublishSubscribe`. Everybody is believed about itself only, and a picture only if it has the hash that
/// was announced. What strangers announce is not kept (`Session.follows(_:)`): to ask them for a picture would tell them
/// that this session is online. Changes of contacts come as ``events()``.
public actor Profiles: SessionExtension, StanzaInterceptor {
    /// Of how many addresses the state is remembered; a room can hold thousands.
    private static let limit = 8192
    /// How long a name may be, in bytes: several times what a row shows.
    private static let nicknameLimit = 1024
    /// How long the name of a media type may be, in bytes (RFC 6838 §4.2: 127 for each half).
    private static let mediaTypeLimit = 255

    nonisolated let session: Session
    private let channel = EventChannel<ProfileEvent>()
    private var nicknames: [JID: String] = [:]
    /// What personal events say; these are newer than what a vCard says.
    private var announced: [JID: AvatarMetadata] = [:]
    /// What presence says: `nil` inside is "no picture".
    private var photos: [JID: String?] = [:]

    public init(_ session: Session) {
        self.session = session
    }

    public nonisolated var interceptors: [any StanzaInterceptor] { [self] }

    /// What people change about themselves from now on.
    public nonisolated func events() -> AsyncStream<ProfileEvent> { channel.stream() }

    // MARK: What is known

    /// The hash of the present avatar of a contact, or of an occupant of a room by its full address; `nil` when there is none
    /// or nobody has said anything yet.
    public func avatarID(of address: JID) -> String? {
        if let metadata = announced[address.bare], photos[address] == nil { return metadata.published?.id }
        return photos[address] ?? announced[address.bare]?.published?.id
    }

    /// The name that a contact goes by, if it said one.
    public func nickname(of account: JID) -> String? { nicknames[account.bare] }

    func metadata(of account: JID) -> AvatarMetadata? { announced[account] }

    // MARK: What the session reports

    /// The events are of no use without the extension that reads them.
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

    /// A personal event is what its account says about itself.
    private func noticed(_ notice: PublishSubscribeNotice) {
        let account = notice.service
        switch notice.event {
        case .items(AvatarMetadata.node, let published, _):
            guard let item = published.last, let metadata = (try? item.decode(AvatarMetadata.self)) ?? nil else {
                return
            }
            // Only the form that can be fetched is kept.
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

    /// Reads which picture the vCard of a sender has.
    public nonisolated func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
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
        // Who has personal events says it there; servers derive this from them, sometimes late (XEP-0398).
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
