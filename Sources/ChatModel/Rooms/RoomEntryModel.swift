public import ChatEngine
public import ChatStore
internal import GroupChat
public import Observation
public import XMPPAddress
internal import XMPPClient

/// Entering or making a room: what was typed, what the room asks back, and what went wrong.
///
///     let model = RoomEntryModel(accounts: accounts)
///     await model.prepare()
///     model.text = "orchard"
///     if let key = await model.enter() { open(key) } else { … }        // see `question` and `failure`
@MainActor
@Observable
public final class RoomEntryModel {
    /// What the room wants to know before it lets in.
    public enum Question: Sendable, Hashable {
        case password(isWrong: Bool)
        /// Somebody else is called like this; ``RoomEntryModel/nickname`` has a suggestion.
        case nickname(taken: String)
        /// There is no such room; ``RoomEntryModel/make()`` makes it.
        case missing
    }

    /// The addresses of the accounts that can enter.
    public let accounts: [JID]
    /// Which of them it is; ``prepare()`` again after a change.
    public var accountIndex = 0
    /// What was typed: an address, or a name at the service.
    public var text = "" {
        didSet { if text != oldValue { forgetAnswers() } }
    }
    public var nickname = ""
    public var password = ""
    /// What a room that is made shall be like.
    public var settings = RoomSettings()

    public private(set) var question: Question?
    /// Why the last attempt did not succeed, as a sentence.
    public private(set) var failure: String?
    public private(set) var isWorking = false
    /// The service for rooms of the account's server.
    public private(set) var service: JID?
    /// The rooms that the service names, by name.
    public private(set) var listings: [RoomListing] = []
    /// What is known of the service is being asked for.
    public private(set) var isPreparing = false

    @ObservationIgnored private let atWork: [ChatAccount]

    /// Nobody looks through more; a service can have a hundred thousand.
    static let listingLimit = 1000

    /// - Parameter accounts: one at least.
    public init(accounts: [ChatAccount]) {
        atWork = accounts
        self.accounts = accounts.map(\.address)
        nickname = Self.standardNickname(of: accounts.first)
    }

    private static func standardNickname(of account: ChatAccount?) -> String {
        account?.address.unescapedLocal ?? ""
    }

    private var account: ChatAccount? {
        atWork.indices.contains(accountIndex) ? atWork[accountIndex] : atWork.first
    }

    /// Asks for the service of the account's server and its rooms.
    public func prepare() async {
        guard let account else { return }
        let index = accountIndex
        if atWork.contains(where: { nickname == Self.standardNickname(of: $0) }) || nickname.isEmpty {
            nickname = Self.standardNickname(of: account)
        }
        isPreparing = true
        defer { if index == accountIndex { isPreparing = false } }
        let found = await account.rooms.service()
        guard index == accountIndex else { return }
        service = found
        listings = []
        guard let found, let rooms = try? await account.rooms.listings(at: found), index == accountIndex else { return }
        let names = rooms.prefix(Self.listingLimit).map { (FoldedName($0.name), $0) }
        listings = names.sorted { ($0.0, $0.1.address) < ($1.0, $1.1.address) }.map(\.1)
    }

    /// The rooms of the service in whose name or address what was typed is.
    public var suggestions: [RoomListing] {
        let typed = text.trimmingWhitespace
        guard !typed.isEmpty else { return listings }
        return listings.filter { listing in
            FoldedName.matches(typed, in: [FoldedName(listing.name), FoldedName(listing.address.description)])
        }
    }

    /// The room that is meant; `nil` where that cannot be said yet.
    public var address: JID? { RoomAddress.complete(text, at: service) }

    /// What is needed is there.
    public var canProceed: Bool {
        guard address != nil, !isWorking, !nickname.trimmingWhitespace.isEmpty else { return false }
        if case .password = question { return !password.isEmpty }
        return true
    }

    private func forgetAnswers() {
        question = nil
        failure = nil
        password = ""
    }

    // MARK: Wishes

    /// Enters the room. Gives its conversation where that was done.
    public func enter() async -> ConversationKey? {
        let password = password.isEmpty ? nil : password
        return await attempt { account, room, nickname throws(GroupChatError) in
            do throws(GroupChatError) {
                _ = try await account.rooms.information(of: room)
            } catch  where error.code == .notFound {
                // Entering would make it, and nobody would ever come.
                throw error
            } catch {
                // Not every room tells strangers what it is.
            }
            try await account.rooms.enter(room, nickname: nickname, password: password)
        }
    }

    /// Makes the room and enters it. Gives its conversation where that was done.
    public func make() async -> ConversationKey? {
        var settings = settings
        // What was typed as a name is what the room is called, not only its address.
        let typed = text.trimmingWhitespace
        if settings.name.isEmpty, !typed.contains("@") { settings.name = typed }
        return await attempt { [settings] account, room, nickname throws(GroupChatError) in
            try await account.rooms.create(room, nickname: nickname, settings: settings)
        }
    }

    private func attempt(
        _ body: (ChatAccount, JID, String) async throws(GroupChatError) -> Void
    ) async -> ConversationKey? {
        guard let account, let room = address, canProceed else { return nil }
        let nickname = nickname.trimmingWhitespace
        isWorking = true
        failure = nil
        defer { isWorking = false }
        do throws(GroupChatError) {
            try await body(account, room, nickname)
            question = nil
            return ConversationKey(account: account.id, address: room, kind: .room)
        } catch {
            switch error.code {
            case .passwordRequired:
                question = .password(isWrong: !password.isEmpty)
            case .nicknameTaken:
                question = .nickname(taken: nickname)
                self.nickname = Self.suggestion(instead: nickname)
            case .notFound: question = .missing
            default: question = nil
            }
            failure = Wording.failure(error)
            return nil
        }
    }

    /// Another nickname: `thirdwitch` is `thirdwitch2`, and that `thirdwitch3`.
    static func suggestion(instead nickname: String) -> String {
        let digits = nickname.reversed().prefix { $0.isASCII && $0.isNumber }
        guard digits.count < nickname.count, digits.count < 6, let number = Int(String(digits.reversed())) else {
            return nickname + "2"
        }
        return nickname.dropLast(digits.count) + String(number + 1)
    }
}

/// What a person typed to enter or make a room, made an address.
///
///     RoomAddress.complete("orchard", at: service)                               // orchard@rooms.capulet.example
///     RoomAddress.complete("xmpp:orchard@rooms.capulet.example?join", at: nil)   // as a link says it
public enum RoomAddress {
    /// The address that is meant; `nil` where it is none. A name alone is taken to be at the service.
    public static func complete(_ text: String, at service: JID?) -> JID? {
        var typed = text.trimmingWhitespace
        if typed.first == "<", typed.last == ">" { typed = String(typed.dropFirst().dropLast()) }
        guard !typed.isEmpty else { return nil }
        if typed.utf8.prefix(5).elementsEqual("xmpp:".utf8) {
            guard let address = (try? XMPPURI(typed))?.address, address.local != nil else { return nil }
            return address.bare
        }
        if let at = typed.firstIndex(of: "@"), at > typed.startIndex { return (try? JID(typed))?.bare }
        guard let service, typed.first != "@" else { return nil }
        // What a person calls a room has spaces and capital letters; an address has neither.
        let name = typed.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: "-")
        return try? JID(escapingLocal: name, domain: service.domain)
    }
}
