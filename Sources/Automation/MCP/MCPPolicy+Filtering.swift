internal import JSONRPC
internal import XMPPAddress

extension MCPPolicy {
    /// The result without what the policy hides, and with texts of other people marked.
    func filtered(_ result: JSONValue, of tool: MCPTool) -> JSONValue {
        switch tool.method {
        case "conversations.list": result.filtering("conversations") { mayRead($0["with"]) }
        case "contacts.list":
            result.filtering("contacts") { mayRead($0["address"]) }
                .filtering("requests") { manages || mayRead($0["address"]) }
        case "rooms.list": result.filtering("rooms") { mayRead($0["address"]) }
        case "queue.list": result.filtering("messages") { mayRead($0["with"]) }
        case "history.read", "history.search":
            result.filtering("messages") { mayRead($0["with"]) }.mapping("messages") { $0.markedAsForeign }
        case "events.read":
            result.filtering("events") { entry in
                guard let event = entry["event"] else { return false }
                let address =
                    event["message"]?["with"] ?? event["with"] ?? event["contact"]?["address"]
                    ?? event["room"]?["address"] ?? event["address"]
                return mayRead(address) || manages && event["type"] == "request"
            }
        default: result
        }
    }

    func mayRead(_ address: JSONValue?) -> Bool {
        guard let text = address?.string, let address = try? JID(text) else { return readsAll }
        return mayRead(address)
    }
}

extension JSONValue {
    /// The object with some elements of an array left out.
    fileprivate func filtering(_ name: String, _ isKept: (JSONValue) -> Bool) -> JSONValue {
        changing(name) { $0.filter(isKept) }
    }

    func mapping(_ name: String, _ transform: (JSONValue) -> JSONValue) -> JSONValue {
        changing(name) { $0.map(transform) }
    }

    private func changing(_ name: String, _ change: ([JSONValue]) -> [JSONValue]) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { member in
                guard member.key == name, case .array(let values) = member.value else { return member }
                return JSONMember(key: name, value: .array(change(values)))
            })
    }

    /// A message of others says that it is not to be trusted.
    var markedAsForeign: JSONValue {
        guard case .object(let members) = self, self["mine"] != true else { return self }
        return .object(members + [JSONMember(key: "untrusted", value: true)])
    }
}
