package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Calls;

/**
 * Defects of drivers that a process can avoid.
 *
 * <p>siw: its user library takes the mmap offset 0x90000 (SIW_INVAL_UOBJ_KEY) for an error, but the kernel also assigns that offset: the
 * queue that starts on page 144 of a context's mappings always fails with EINVAL, which is about the 70th queue pair. A large completion
 * queue that is created first covers the page, so that no other queue can start there.
 *
 * <p>siw: its kernel module copies the payload of a packet of up to 32 bytes (MAX_HDR_INLINE) wrongly if the payload crosses a page and the
 * thread of the device sends it, not the post itself (siw_try_1seg): bytes at its end come from other memory. So short messages and writes
 * are posted inline, and a short read that crosses a page of the peer is posted as two.
 *
 * <p>siw: work requests of a page or more without a completion are sent from the application's pages without a copy. A later completion
 * says only that TCP has them: TCP may still send, or send again, what the application has written there since. So they request a
 * completion, which makes siw copy.
 *
 * <p>siw: a message or write completes when TCP has it, even while an earlier read waits for its answer. So its completion does not cover
 * that read, which requests its own; {@link VerbsSendQueue} puts them in order.
 */
final class DeviceQuirks {

  /**
   * Rules for posting work requests, regardless of what the application requests.
   *
   * @param alwaysInline bytes up to which messages and writes are posted inline; 0 if none
   * @param alwaysSignalled bytes from which messages and writes request a completion; more than possible if none
   * @param readsSignalled whether reads request a completion
   */
  record Sends(int alwaysInline, long alwaysSignalled, boolean readsSignalled) {
    /** Rules for a device without defects. */
    static final Sends NONE = new Sends(0, Long.MAX_VALUE, false);
  }

  /** SIW_VENDOR_ID. */
  private static final int SIW = 0x626d74;
  /** Entries of 32 bytes; 1 MiB reaches beyond page 144. */
  private static final int ENTRIES = 32_768;
  private static final int SHORT = 32;
  private static final int PAGE = 4096;

  private final VerbsDomain domain;
  private final boolean siw;
  private final long placeholder;

  DeviceQuirks(VerbsDomain domain) {
    this.domain = domain;
    DeviceAttributes attributes = domain.device().attributes;
    siw = attributes.vendor() == SIW;
    placeholder = siw && attributes.maxCompletions() >= ENTRIES
      ? Calls.pointer(domain.verbs().createCq, domain.context(), ENTRIES, 0, 0, 0) : 0;
  }

  Sends sends() {
    return siw ? new Sends(SHORT, PAGE, true) : Sends.NONE;
  }

  /** Returns the number of bytes of a read that must be read separately first; 0 if it may be read at once. */
  int readApart(long remoteAddress, long length) {
    int onPage = PAGE - (int) (remoteAddress & PAGE - 1);
    return siw && length <= SHORT && length > onPage ? onPage : 0;
  }

  void close() {
    if (placeholder != 0) {
      Calls.number(domain.verbs().destroyCq, placeholder);
    }
  }
}
