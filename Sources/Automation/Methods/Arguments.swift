internal import ChatStore
internal import JSONRPC
internal import MessageFeatures
internal import XMPPAddress

/// The checked arguments of a call.
struct Arguments: Sendable {
    private let json: JSONValue

    /// - Throws: `invalidParameters`, which names the argument: unknown, missing, of another type or out of range.
    init(_ json: JSONValue, _ parameters: [AutomationMethod.Parameter]) throws(JSONRPCError) {
        switch json {
        case .object, .null: self.json = json
        default: throw .invalidParameters("The parameters are an object")
        }
        for member in json.members ?? [] {
            guard let parameter = parameters.first(where: { $0.name == member.key }) else {
                throw .invalidParameters("There is no parameter “\(member.key.prefix(40))”")
            }
            guard member.value == .null || parameter.accepts(member.value) else {
                throw .invalidParameters("“\(parameter.name)”: \(parameter.text)")
            }
        }
        if let missing = parameters.first(where: { $0.isRequired && json[$0.name] == nil }) {
            throw .invalidParameters("“\(missing.name)” is missing")
        }
    }

    func text(_ name: String) -> String? { json[name]?.string }
    func integer(_ name: String) -> Int? { json[name]?.integer }
    func flag(_ name: String) -> Bool { json[name]?.bool ?? false }
    func texts(_ name: String) -> [String]? { json[name]?.array?.compactMap(\.string) }
    func address(_ name: String) -> JID? { json[name]?.string.flatMap { try? JID($0) } }
    func message(_ name: String) -> MessageID? { integer(name).map { MessageID(rawValue: Int64($0)) } }

    func point(_ name: String) -> HistoryPoint? {
        switch json[name] {
        case .integer(let number)?: .message(MessageID(rawValue: Int64(number)))
        case .string(let text)?:
            Timestamp(text).map { .time(MessageTime(millisecondsSince1970: $0.millisecondsSince1970)) }
        default: nil
        }
    }

    /// A required address.
    func requiredAddress(_ name: String) throws(JSONRPCError) -> JID {
        guard let address = address(name) else { throw .invalidParameters("“\(name)” is missing") }
        return address
    }
}

extension AutomationMethod.Parameter {
    fileprivate func accepts(_ value: JSONValue) -> Bool {
        switch (kind, value) {
        case (.text(let limit), .string(let text)): text.utf8.count <= limit
        case (.integer(let range), .integer(let number)): range.contains(number)
        case (.flag, .bool): true
        case (.address, .string(let text)): (try? JID(text)) != nil
        case (.path, .string(let text)): text.hasPrefix("/") && !text.utf8.contains(0)
        case (.choice(let words), .string(let text)): words.contains(text)
        case (.texts(let limit), .array(let values)):
            values.count <= limit && values.allSatisfy { ($0.string?.utf8.count ?? .max) <= 256 }
        case (.point, .integer(let number)): number > 0
        case (.point, .string(let text)): Timestamp(text) != nil
        default: false
        }
    }
}
