internal import ChatEngine
internal import ChatModel
package import ChatStore
package import JSONRPC
internal import MessageFeatures
internal import UserProfile
internal import XMPPAddress

/// Conversations and their history.
struct ConversationMethods: MethodGroup {
    let context: AutomationContext

    private static let beforeParameter = AutomationMethod.Parameter(
        "before", .point, "only messages before the message with this number (the value of “next”), or before this time"
    )
    private static let limitParameter = AutomationMethod.Parameter(
        "limit", .integer(1...AutomationContext.pageLimit), "the maximum number of messages, 50 if it is missing")

    var methods: [AutomationMethod] {
        [
            AutomationMethod(
                "conversations.list", "Lists the conversations, those with the newest messages first.",
                [Self.accountParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let account = try await account(arguments).id
                return try await read { store throws(StoreError) in
                    let book = try AddressBook(store, of: account)
                    let list = try store.conversations().filter { $0.key.account == account }
                    return ["conversations": .array(list.map { $0.json(name: book.title(of: $0.key)) })]
                }
            },
            AutomationMethod(
                "conversations.markRead", "Marks a message and all before it as read, on all devices.",
                [
                    Self.accountParameter, .init("with", .address, isRequired: true, "the address of the conversation"),
                    .init("message", .integer(1 ... .max), isRequired: true, "the number of the message"),
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let (account, key) = try await conversation(arguments, "with")
                let message = try await message(arguments, "message", in: key)
                do throws(StoreError) {
                    try await account.markRead(upTo: message.id, in: key)
                } catch {
                    throw JSONRPCError(error)
                }
                return [:]
            },
            AutomationMethod(
                "history.read", "Reads the messages of a conversation, oldest first.",
                [
                    Self.accountParameter, .init("with", .address, isRequired: true, "the address of the conversation"),
                    Self.beforeParameter, Self.limitParameter,
                    .init("fetch", .flag, "first load a page of older messages from the archive of the server"),
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                var request = HistoryQuery()
                request.address = arguments.address("with")
                if arguments.flag("fetch") {
                    let (account, key) = try await conversation(arguments, "with")
                    _ = await account.loadOlder(in: key)
                }
                return try await page(request, arguments)
            },
            AutomationMethod(
                "history.search", "Searches the messages for all of these words, oldest first.",
                [
                    Self.accountParameter, .init("with", .address, "only in the conversation with this address"),
                    .init("words", .text(limit: 1000), isRequired: true, "the words that a message contains"),
                    Self.beforeParameter, Self.limitParameter,
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                var request = HistoryQuery()
                request.address = arguments.address("with")
                request.searchText = arguments.text("words")
                return try await page(request, arguments)
            },
        ]
    }

    private func page(_ request: HistoryQuery, _ arguments: Arguments) async throws(JSONRPCError) -> JSONValue {
        let account = try await account(arguments)
        var request = request
        request.before = arguments.point("before")
        request.limit = arguments.integer("limit") ?? request.limit
        let (wanted, id) = (request, account.id)
        let folder = context.profile.mediaFolder(of: account.address)
        let page = try await read { store throws(StoreError) -> JSONValue? in
            guard let page = try wanted.read(of: id, in: store) else { return nil }
            var messages: [JSONValue] = []
            var (bytes, next) = (0, page.next)
            for line in page.lines.reversed() {
                let json = line.message.json(in: line.key) { $0.path(in: folder) }
                bytes += json.description.utf8.count
                if bytes > AutomationContext.pageBytes, !messages.isEmpty { break }
                messages.append(json)
                if messages.count < page.lines.count { next = line.message.id } else { next = page.next }
            }
            return ["messages": .array(messages.reversed()), "next": .count(next?.rawValue)]
        }
        guard let page else { throw .failure(.notFound, "There is no such message") }
        return page
    }
}

extension Attachment {
    /// Where its content is on this computer; `nil` if it is not.
    func path(in folder: String) -> String? {
        contentHash.flatMap { ContentHash($0) }.flatMap { MediaCache.file(of: $0, in: folder) }
    }
}

extension Conversation {
    /// One object, independent of the language of the user.
    ///
    /// - Parameter name: the name of the contact or room, as the programs show it.
    package func json(name: String) -> JSONValue {
        [
            "event": "conversation", "with": .text(key.address), "kind": .string(key.kind.word), "name": .string(name),
            "unread": .integer(unreadCount), "time": .text(lastMessage?.time.timestamp),
            "body": .text(lastMessage?.text.body.withoutFileKeys),
        ]
    }
}
