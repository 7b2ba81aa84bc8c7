package io.github.vertxrdma.provider.verbs;

/**
 * What a driver gets wrong and a process can avoid.
 *
 * <p>siw: its user library takes the mmap offset 0x90000 (SIW_INVAL_UOBJ_KEY) for an error, yet the kernel hands out that offset like
 * any other: the queue that starts on page 144 of a context's mappings fails with EINVAL, for ever, which is about the 70th queue pair.
 * A completion queue that is made first and is larger than that covers the page, so that nothing can start there.
 */
final class DeviceQuirks {
  /** SIW_VENDOR_ID. */
  private static final int SIW = 0x626d74;
  /** Entries of 32 bytes; 1 MiB reaches beyond page 144. */
  private static final int ENTRIES = 32_768;

  private final VerbsDomain domain;
  private final long placeholder;

  DeviceQuirks(VerbsDomain domain) {
    this.domain = domain;
    DeviceAttributes attributes = domain.device().attributes;
    placeholder = attributes.vendor() == SIW && attributes.maxCompletions() >= ENTRIES
      ? Calls.pointer(domain.verbs().createCq, domain.context(), ENTRIES, 0, 0, 0) : 0;
  }

  void close() {
    if (placeholder != 0) {
      Calls.number(domain.verbs().destroyCq, placeholder);
    }
  }
}
