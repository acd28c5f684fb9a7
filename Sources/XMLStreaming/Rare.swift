/// An optional value that is usually absent: it takes the room of a reference, and has memory of its own when it is present.
@propertyWrapper
package struct Rare<Value: Sendable>: Sendable {
    /// A class, because whether a reference is there needs no question to the runtime about the type of the value.
    private final class Content: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var content: Content?

    package init(wrappedValue: Value? = nil) { content = wrappedValue.map { Content($0) } }

    package var wrappedValue: Value? {
        get { content?.value }
        set { content = newValue.map { Content($0) } }
    }

    /// Whether the value is present; without copying it.
    package var isPresent: Bool { content != nil }
}
