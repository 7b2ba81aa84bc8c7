package io.github.vertxrdma.cli;

/** An RDMA device in software, which the kernel creates over a network device. */
enum SoftDevice {
  /** iWARP over TCP; in Linux since 5.3, but not in Debian's kernels. */
  SIW("siw", "siw", "kernels of Ubuntu and Fedora have it, those of Debian do not",
    "try ./rdma rxe up; if rxe is missing too, use the fabric tcp"),
  /** RoCE v2 over UDP. */
  RXE("rxe", "rdma_rxe", "small kernels for containers and clouds often lack it", "use the fabric tcp instead");

  final String type;
  final String module;
  private final String absence;
  private final String otherwise;

  SoftDevice(String type, String module, String absence, String otherwise) {
    this.type = type;
    this.module = module;
    this.absence = absence;
    this.otherwise = otherwise;
  }

  String device() {
    return type + "0";
  }

  /** Returns advice for machines without this device. */
  String otherwise() {
    return otherwise;
  }

  /** Returns the message for a kernel without the module. */
  String absent(String kernel) {
    return "the kernel " + kernel + " has no module " + module + " (" + absence + "); " + otherwise;
  }
}
