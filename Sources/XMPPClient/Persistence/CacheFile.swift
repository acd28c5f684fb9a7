package import Dispatch
public import XMLStreaming

/// Where a part of the program stores what it could also request again: the contact list, the capabilities of others.
///
/// A cache that cannot be read or written costs requests and nothing else, so no operation fails.
public protocol CacheStorage: Sendable {
    /// The element that was saved last; `nil` if there is none.
    func load() async -> XMLElement?

    /// Replaces the element.
    func save(_ element: XMLElement) async
}

/// A cache in one file, which only its owner can read.
public final class CacheFile: CacheStorage {
    /// The maximum size of a file that is read, in bytes: several times the largest contact list.
    private static let sizeLimit = 16 << 20

    private let path: String
    /// Blocking for the disk would occupy a thread of the shared pool.
    private let queue = DispatchQueue(label: "cache file")

    /// - Parameter path: the file; its folder must exist.
    public init(path: String) {
        self.path = path
    }

    public func load() async -> XMLElement? {
        await queue.run { [path] in Self.read(path) }
    }

    public func save(_ element: XMLElement) async {
        await queue.run { [path] in Self.write(element, path) }
    }

    private static func read(_ path: String) -> XMLElement? {
        guard var file = try? JournalFile(path: path) else { return nil }
        let content = try? file.readAll()
        file.closeFile()
        guard let bytes = content, !bytes.isEmpty, bytes.count <= sizeLimit else { return nil }
        var limits = XMLLimits.default
        limits.elementBytes = sizeLimit
        return try? XMLElement(parsing: bytes, limits: limits)
    }

    private static func write(_ element: XMLElement, _ path: String) {
        guard var file = try? JournalFile(path: path) else { return }
        var writer = XMLWriter()
        element.encode(to: &writer)
        try? file.replace(with: writer.takeBytes())
        file.closeFile()
    }
}

extension DispatchQueue {
    /// Runs blocking work on this queue and waits for its result, without blocking a thread of Swift's pool.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: work()) }
        }
    }
}
