// swift-tools-version: 6.2
import PackageDescription

// A package of a user that wants all three traits. The test puts the path of the library here.
let package = Package(
    name: "Consumer",
    dependencies: [
        .package(
            name: "hongyan", path: "LIBRARY",
            traits: ["LoggingSupport", "MetricsSupport", "ServiceLifecycleSupport"]),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "HongyanTesting", package: "hongyan"), .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ])
    ]
)
