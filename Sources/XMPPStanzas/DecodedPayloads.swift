internal import Synchronization
internal import XMLStreaming

/// What was decoded of one received stanza: each type of payload is decoded once, however many parts of the program ask for it.
///
/// Copies of the stanza share it.
package final class DecodedPayloads: Sendable {
    private struct State {
        var values: [ObjectIdentifier: any Sendable] = [:]
        var decodings: [String: Int] = [:]
        var requests: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// How often each type was decoded, for tests.
    package var decodings: [String: Int] { state.withLock(\.decodings) }
    /// How often each type was asked for, for tests.
    package var requests: [String: Int] { state.withLock(\.requests) }

    func value<Value: Sendable>(
        _ type: Value.Type, _ decode: () throws(XMLDecodingError) -> Value
    ) throws(XMLDecodingError) -> Value {
        let key = ObjectIdentifier(type)
        let known = state.withLock { state in
            state.requests["\(type)", default: 0] += 1
            return state.values[key] as? Result<Value, XMLDecodingError>
        }
        if let known { return try known.get() }
        let result: Result<Value, XMLDecodingError>
        do throws(XMLDecodingError) {
            result = .success(try decode())
        } catch {
            result = .failure(error)
        }
        state.withLock { state in
            state.values[key] = result
            state.decodings["\(type)", default: 0] += 1
        }
        return try result.get()
    }
}
