// The part of the interface of swift-metrics that this library uses, written for its tests: each change is printed.
public final class Counter: Sendable {
    private let name: String

    public init(label: String, dimensions: [(String, String)] = []) {
        name = dimensions.reduce(into: label) { $0 += " \($1.0)=\($1.1)" }
    }

    public func increment<Amount: BinaryInteger>(by amount: Amount) { print("\(name) += \(amount)") }
    public func increment() { increment(by: 1) }
}

public final class Gauge: Sendable {
    private let name: String

    public init(label: String, dimensions: [(String, String)] = []) {
        name = dimensions.reduce(into: label) { $0 += " \($1.0)=\($1.1)" }
    }

    public func record<Value: BinaryInteger>(_ value: Value) { print("\(name) = \(value)") }
}
