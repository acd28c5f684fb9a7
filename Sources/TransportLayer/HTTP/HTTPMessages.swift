/// One header field.
public struct HTTPHeader: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// A line break inside would let a value add lines of its own (XEP-0363 §4 warns of it).
    var isValid: Bool {
        !name.isEmpty && !(name + value).utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } && !name.contains(":")
    }
}

/// The answer to a transfer that succeeded.
public struct HTTPResponse: Sendable, Hashable {
    /// 200 to 299.
    public var status: Int
    public var headers: [HTTPHeader] = []
    /// Empty when the body went into a file.
    public var body: [UInt8] = []
    /// The bytes of the body, wherever they went.
    public var byteCount = 0

    /// The first header field of that name, in whatever case.
    public subscript(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// How far a transfer has come.
public struct HTTPProgress: Sendable, Hashable {
    /// Bytes of the body so far.
    public var completed: Int64
    /// `nil` while the size is not known.
    public var total: Int64?
}

/// What is to be transferred.
struct HTTPRequest: Sendable {
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        case file(String)

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    enum Destination: Sendable {
        case memory
        case file(String)
    }

    var url: String
    var headers: [HTTPHeader]
    var body: Body
    var destination: Destination
    var limit: Int
    var progress: HTTPClient.ProgressHandler?
}
