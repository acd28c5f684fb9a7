import Foundation

/// Whether the long versions of tests run, too.
enum LongTests {
    static let isOn = ProcessInfo.processInfo.environment["HONGYAN_LONG_TESTS"] != nil
}
