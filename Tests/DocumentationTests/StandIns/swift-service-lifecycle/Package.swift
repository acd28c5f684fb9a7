// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-service-lifecycle", products: [.library(name: "ServiceLifecycle", targets: ["ServiceLifecycle"])],
    targets: [.target(name: "ServiceLifecycle")])
