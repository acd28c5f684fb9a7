// swift-tools-version: 6.2
import PackageDescription

// Small programs and two extensions, as a user of the library writes them: outside of its package, with one import.
// `swift build` and `swift test` work here; the tests of the library build and run them, too.
func program(_ name: String, _ extensions: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "Hongyan", package: "hongyan")] + extensions,
        swiftSettings: [.treatAllWarnings(as: .error)])
}

func library(_ name: String) -> Target {
    .target(
        name: name, dependencies: [.product(name: "Hongyan", package: "hongyan")],
        swiftSettings: [.treatAllWarnings(as: .error)])
}

let package = Package(
    name: "Programs",
    dependencies: [.package(name: "hongyan", path: "../..")],
    targets: [
        program("Echo"),
        program("RoomBot"),
        program("Commands"),
        program("Feed"),
        program("DiceBot", ["Dice"]),
        program("Picture"),
        program("History"),
        program("Service"),
        program("Swarm"),
        program("Settings"),
        program("Survivor"),
        program("MoodBot", ["Moods"]),

        // Extensions, after the template.
        library("ExampleExtension"),
        library("Dice"),
        library("Moods"),

        // Code of the guides.
        library("Snippets"),

        library("EchoBot"),
        .testTarget(
            name: "EchoTests",
            dependencies: ["EchoBot", .product(name: "HongyanTesting", package: "hongyan")]),
    ]
)
