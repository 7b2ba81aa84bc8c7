package io.github.vertxrdma.provider.libfabric;

import java.security.SecureRandom;

/**
 * Numbers of the endpoints of one completion queue. A write with immediate that consumes no receive completes without a context, so the
 * writer sends the number of the target endpoint beside the immediate. Half of the number is random, so that a peer cannot guess it. The
 * error of a send without a completion has it, too. Confined to the polling thread.
 */
final class EndpointTags {
  private static final int INDEX_BITS = 16;
  private static final SecureRandom RANDOM = new SecureRandom();
  private MsgEndpoint[] endpoints = new MsgEndpoint[8];
  private int[] tags = new int[8];
  /** All numbers below this one are in use. */
  private int firstFree;

  /** Returns a number, never 0. @throws IllegalStateException beyond 65,536 endpoints */
  int add(MsgEndpoint endpoint) {
    int i = firstFree;
    while (i < endpoints.length && endpoints[i] != null) {
      i++;
    }
    if (i == endpoints.length) {
      if (i == 1 << INDEX_BITS) {
        throw new IllegalStateException("more than " + i + " endpoints on one completion queue");
      }
      endpoints = java.util.Arrays.copyOf(endpoints, i * 2);
      tags = java.util.Arrays.copyOf(tags, i * 2);
    }
    endpoints[i] = endpoint;
    firstFree = i;
    tags[i] = 1 + RANDOM.nextInt((1 << INDEX_BITS) - 1) << INDEX_BITS | i;
    return tags[i];
  }

  void remove(int tag) {
    int i = tag & (1 << INDEX_BITS) - 1;
    if (i < tags.length && tags[i] == tag) {
      tags[i] = 0;
      endpoints[i] = null;
      firstFree = Math.min(firstFree, i);
    }
  }

  MsgEndpoint find(int tag) {
    int i = tag & (1 << INDEX_BITS) - 1;
    return i < tags.length && tags[i] == tag && tag != 0 ? endpoints[i] : null;
  }
}
