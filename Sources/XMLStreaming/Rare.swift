/// An optional value that is usually absent: it takes the room of a reference, and has memory of its own when it is present.
@propertyWrapper
package struct Rare<Value: Sendable>: Sendable {
    /// At most one.
    private var content: [Value]

    package init(wrappedValue: Value? = nil) { content = wrappedValue.map { [$0] } ?? [] }

    package var wrappedValue: Value? {
        get { content.first }
        set { content = newValue.map { [$0] } ?? [] }
    }

    /// Whether the value is present; without copying it.
    package var isPresent: Bool { !content.isEmpty }
}
