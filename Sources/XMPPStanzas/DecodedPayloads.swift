internal import Synchronization
internal import XMLStreaming

/// What was decoded of one received stanza: each type of payload is decoded once, however many parts of the program ask for it.
///
/// Copies of the stanza share it.
package final class DecodedPayloads: Sendable {
    private struct Entry {
        let type: any Sendable.Type
        let result: any Sendable
        var decodings: Int
        var requests: Int
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// How often each type was decoded, for tests.
    package var decodings: [String: Int] { counts(\.decodings) }
    /// How often each type was asked for, for tests.
    package var requests: [String: Int] { counts(\.requests) }

    private func counts(_ count: (Entry) -> Int) -> [String: Int] {
        entries.withLock { entries in
            var counts: [String: Int] = [:]
            for entry in entries.values { counts["\(entry.type)"] = count(entry) }
            return counts
        }
    }

    func value<Value: Sendable>(
        _ type: Value.Type, _ decode: () throws(XMLDecodingError) -> Value
    ) throws(XMLDecodingError) -> Value {
        typealias Outcome = Result<Value, XMLDecodingError>
        let key = ObjectIdentifier(type)
        let known = entries.withLock { entries in
            entries[key]?.requests += 1
            return entries[key]?.result as? Outcome
        }
        if let known { return try known.get() }
        let result: Outcome
        do throws(XMLDecodingError) {
            result = .success(try decode())
        } catch {
            result = .failure(error)
        }
        entries.withLock { entries in
            // Another thread may have decoded it at the same time.
            let old = entries[key]
            entries[key] = Entry(
                type: type, result: result, decodings: (old?.decodings ?? 0) + 1, requests: (old?.requests ?? 0) + 1)
        }
        return try result.get()
    }
}
