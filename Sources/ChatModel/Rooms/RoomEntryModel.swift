public import ChatEngine
public import ChatStore
internal import GroupChat
public import Observation
public import XMPPAddress
internal import XMPPClient

/// Joining or creating a room: the input, the questions of the room, and errors.
///
///     let model = RoomEntryModel(accounts: accounts)
///     await model.prepare()
///     model.text = "orchard"
///     if let key = await model.join() { open(key) } else { … }        // see `question` and `failure`
@MainActor
@Observable
public final class RoomEntryModel {
    /// What the room requires before joining.
    public enum Question: Sendable, Hashable {
        case password(isWrong: Bool)
        /// The nickname is in use; ``RoomEntryModel/nickname`` has a suggestion.
        case nickname(taken: String)
        /// The room does not exist; ``RoomEntryModel/create()`` creates it.
        case missing
    }

    /// The addresses of the accounts that can join.
    public let accounts: [JID]
    /// The selected account; call ``prepare()`` after changing it.
    public var accountIndex = 0
    /// The typed text: an address, or a name at the service.
    public var text = "" {
        didSet { if text != oldValue { forgetAnswers() } }
    }
    public var nickname = ""
    public var password = ""
    /// The settings of a new room.
    public var settings = RoomSettings()

    public private(set) var question: Question?
    /// Why the last attempt failed, as a sentence for the user.
    public private(set) var failure: String?
    public private(set) var isWorking = false
    /// The room service of the account's server.
    public private(set) var service: JID?
    /// The public rooms of the service, sorted by name.
    public private(set) var listings: [RoomListing] = []
    /// The room service is being discovered.
    public private(set) var isPreparing = false

    @ObservationIgnored private let atWork: [ChatAccount]

    /// A service can have a hundred thousand rooms, more than a list is useful for.
    static let listingLimit = 1000

    /// - Parameter accounts: not empty.
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

    /// Discovers the room service and its rooms, now and when the account comes online, until the task is cancelled.
    public func run() async {
        guard let account else { return }
        let events = account.events()
        await prepare()
        for await event in events {
            if case .connection(let state) = event, state.isOnline, service == nil { await prepare() }
        }
    }

    /// Discovers the room service of the account's server and its rooms.
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

    /// The rooms of the service whose name or address contains the typed text.
    public var suggestions: [RoomListing] {
        let typed = text.trimmingWhitespace
        guard !typed.isEmpty else { return listings }
        return listings.filter { $0.matches(typed) }
    }

    /// The address of the room; `nil` if it is not known yet.
    public var address: JID? { RoomAddress.complete(text, at: service) }

    /// Whether all required fields are filled in.
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

    // MARK: Actions

    /// Joins the room. Returns its conversation on success.
    public func join() async -> ConversationKey? {
        let password = password.isEmpty ? nil : password
        return await attempt { account, room, nickname throws(GroupChatError) in
            do throws(GroupChatError) {
                _ = try await account.rooms.information(of: room)
            } catch  where error.code == .notFound || error.code == .notARoom {
                // Joining would create an empty room at a mistyped address, and a person does not respond.
                throw error
            } catch {
                // Not every room answers service discovery from outside.
            }
            try await account.rooms.enter(room, nickname: nickname, password: password)
        }
    }

    /// Creates the room and joins it. Returns its conversation on success.
    public func create() async -> ConversationKey? {
        var settings = settings
        // The typed name becomes the title of the room as well as its address.
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

    /// Another nickname: `thirdwitch` becomes `thirdwitch2`, and that `thirdwitch3`.
    static func suggestion(instead nickname: String) -> String {
        let digits = nickname.reversed().prefix { $0.isASCII && $0.isNumber }
        guard digits.count < nickname.count, digits.count < 6, let number = Int(String(digits.reversed())) else {
            return nickname + "2"
        }
        return nickname.dropLast(digits.count) + String(number + 1)
    }
}

/// Turns what a user typed to join or create a room into an address.
///
///     RoomAddress.complete("orchard", at: service)                               // orchard@rooms.capulet.example
///     RoomAddress.complete("xmpp:orchard@rooms.capulet.example?join", at: nil)   // as a link says it
public enum RoomAddress {
    /// The address; `nil` if it is not valid. A name without a domain is completed with the service.
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
        // Names of rooms have spaces and capital letters, addresses have neither.
        let name = typed.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: "-")
        return try? JID(escapingLocal: name, domain: service.domain)
    }
}
