internal import Foundation
internal import JSONRPC
internal import XMPPAddress

/// The conversations that a model may read, as resources of the Model Context Protocol: `hongyan:conversation/` with the
/// addresses of the account and of the conversation.
struct MCPResources {
    let policy: MCPPolicy
    let backend: MCPService.Backend

    private static let scheme = "hongyan:conversation/"

    func list() async throws(JSONRPCError) -> JSONValue {
        var list: [JSONValue] = []
        for account in (try await backend("accounts.list", .null))["accounts"]?.array ?? [] {
            guard let address = account["address"]?.string else { continue }
            let conversations = try await backend("conversations.list", ["account": .string(address)])
            for conversation in conversations["conversations"]?.array ?? [] where policy.mayRead(conversation["with"]) {
                guard let with = conversation["with"]?.string, let first = Self.encoded(address),
                    let second = Self.encoded(with)
                else { continue }
                list.append([
                    "uri": .string(Self.scheme + first + "/" + second), "name": .string(with),
                    "title": conversation["name"] ?? .null, "description": "The last messages, as JSON",
                    "mimeType": "application/json",
                ])
            }
        }
        return ["resources": .array(list)]
    }

    private static func encoded(_ text: String) -> String? {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "@.-_")))
    }

    /// The arguments of `history.read` for a resource.
    ///
    /// - Throws: if it is none, or the policy does not allow it.
    func call(for uri: String) throws(JSONRPCError) -> JSONValue {
        let parts = uri.hasPrefix(Self.scheme) ? uri.dropFirst(Self.scheme.count).split(separator: "/") : []
        let names = parts.compactMap { String($0).removingPercentEncoding }
        guard names.count == 2, let address = try? JID(names[1]), policy.mayRead(address) else {
            throw JSONRPCError(-32602, "Resource not found", data: ["uri": .string(uri)])
        }
        return ["account": .string(names[0]), "with": .string(names[1])]
    }

    /// The answer to a client, from the result of `history.read`.
    static func answer(_ page: JSONValue, _ uri: String) -> JSONValue {
        let members = page.mapping("messages") { $0.markedAsForeign }.members ?? []
        let text = JSONValue.object([JSONMember(key: "notice", value: .string(MCPService.notice))] + members)
        return [
            "contents": [
                ["uri": .string(uri), "mimeType": "application/json", "text": .string(text.description)]
            ]
        ]
    }
}
