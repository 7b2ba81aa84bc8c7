package io.github.vertxrdma.cli;

/** An RDMA device in software, which the kernel makes over a network device. */
enum SoftDevice {
  /** iWARP over TCP; Linux has it since 5.3, Debian's kernels are built without. */
  SIW("siw", "siw", "Debian's kernels have none, Ubuntu's and Fedora's have",
    "try ./rdma rxe up; without either, the tcp fabric does the same"),
  /** RoCE v2 over UDP. */
  RXE("rxe", "rdma_rxe", "small kernels for containers and clouds often have none", "the tcp fabric does the same");

  private final String type;
  private final String module;
  private final String absence;
  private final String otherwise;

  SoftDevice(String type, String module, String absence, String otherwise) {
    this.type = type;
    this.module = module;
    this.absence = absence;
    this.otherwise = otherwise;
  }

  /** As rdma-link(8) calls it. */
  String type() {
    return type;
  }

  /** The kernel module that makes it. */
  String module() {
    return module;
  }

  /** The name of the one that is made here. */
  String device() {
    return type + "0";
  }

  /** The replacement. */
  String otherwise() {
    return otherwise;
  }

  /** Words for a kernel that has no such module. */
  String absent(String kernel) {
    return "the kernel " + kernel + " has no module " + module + " (" + absence + "); " + otherwise;
  }
}
