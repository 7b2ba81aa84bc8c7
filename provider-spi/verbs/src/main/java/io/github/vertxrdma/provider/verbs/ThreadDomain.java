package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Protection domain for the queue pairs of one thread: a parent domain with a thread domain; ibv_alloc_td(3), ibv_alloc_parent_domain(3).
 * Its queue pairs need no lock, and have their own device register. Devices without parent domains use the protection domain of memory.
 * Completion queues keep their locks, because another thread destroys queue pairs.
 */
final class ThreadDomain {
  private final VerbsDomain domain;
  private final long threadDomain;
  private final long parent;

  ThreadDomain(VerbsDomain domain) {
    this.domain = domain;
    long attributes = Memory.allocate(PARENT_INIT_ROOM);
    threadDomain = Calls.pointer(domain.extended(CONTEXT_ALLOC_TD), domain.context, attributes);
    Memory.putLong(attributes + PARENT_INIT_PD, domain.protectionDomain);
    Memory.putLong(attributes + PARENT_INIT_TD, threadDomain);
    parent = threadDomain == 0 ? 0 : Calls.pointer(domain.extended(CONTEXT_ALLOC_PARENT), domain.context, attributes);
    Memory.free(attributes);
    if (parent == 0) {
      freeThreadDomain();
    }
  }

  long protectionDomain() {
    return parent == 0 ? domain.protectionDomain : parent;
  }

  void close() {
    if (parent != 0) {
      Calls.number(domain.verbs.deallocPd, parent);
      freeThreadDomain();
    }
  }

  private void freeThreadDomain() {
    if (threadDomain != 0) {
      Calls.number(domain.extended(CONTEXT_DEALLOC_TD), threadDomain);
    }
  }
}
