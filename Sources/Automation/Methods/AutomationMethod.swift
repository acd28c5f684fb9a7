package import JSONRPC
package import UserProfile

/// A method for programs: its name, its parameters, and what it does.
package struct AutomationMethod: Sendable {
    package struct Parameter: Sendable {
        package enum Kind: Sendable {
            case text(limit: Int)
            case integer(ClosedRange<Int>)
            case flag
            case address
            /// An absolute path on this computer.
            case path
            case choice([String])
            case texts(limit: Int)
            /// The number of a message, or a time such as `2026-11-21T13:05:09Z`.
            case point
        }

        package let name: String
        package let kind: Kind
        package let isRequired: Bool
        /// What it means, in English: for programs and models.
        package let text: String

        package init(_ name: String, _ kind: Kind, isRequired: Bool = false, _ text: String) {
            self.name = name
            self.kind = kind
            self.isRequired = isRequired
            self.text = text
        }
    }

    package let name: String
    package let text: String
    package let parameters: [Parameter]
    let body: @Sendable (Arguments, ProfileRequest) async throws(JSONRPCError) -> JSONValue

    init(
        _ name: String, _ text: String, _ parameters: [Parameter] = [],
        _ body: @escaping @Sendable (Arguments, ProfileRequest) async throws(JSONRPCError) -> JSONValue
    ) {
        self.name = name
        self.text = text
        self.parameters = parameters
        self.body = body
    }

    /// The method as the socket of a profile offers it.
    package var profileMethod: ProfileMethod {
        ProfileMethod(name) { [parameters, body] request throws(JSONRPCError) in
            try await body(try Arguments(request.parameters, parameters), request)
        }
    }

    /// The parameters as JSON Schema (2020-12).
    package var schema: JSONValue {
        var properties: [(String, JSONValue)] = []
        for parameter in parameters { properties.append((parameter.name, parameter.schema)) }
        let required = parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
        return [
            "type": "object", "properties": JSONValue(properties),
            "required": required.isEmpty ? .null : .array(required), "additionalProperties": false,
        ]
    }
}

extension AutomationMethod.Parameter {
    fileprivate var schema: JSONValue {
        let description = JSONValue.string(text)
        return switch kind {
        case .text(let limit): ["type": "string", "maxLength": .integer(limit), "description": description]
        case .integer(let range):
            [
                "type": "integer", "minimum": .integer(range.lowerBound),
                "maximum": range.upperBound == .max ? .null : .integer(range.upperBound), "description": description,
            ]
        case .flag: ["type": "boolean", "description": description]
        case .address, .path: ["type": "string", "description": description]
        case .choice(let words):
            ["type": "string", "enum": .array(words.map(JSONValue.string)), "description": description]
        case .texts(let limit):
            ["type": "array", "items": ["type": "string"], "maxItems": .integer(limit), "description": description]
        case .point: ["type": ["integer", "string"], "description": description]
        }
    }
}
