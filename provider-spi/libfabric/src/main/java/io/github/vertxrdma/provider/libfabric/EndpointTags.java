package io.github.vertxrdma.provider.libfabric;

import java.security.SecureRandom;

/**
 * Numbers of a completion queue's endpoints. Confined to the polling thread.
 *
 * <p>A write with immediate that consumes no receive completes without a context. So the writer sends the target endpoint's number with the
 * immediate. Half of the number is random, so that peers cannot guess it. The contexts of sends without a completion contain the number
 * too, to identify their errors.
 */
final class EndpointTags {
  private static final int INDEX_BITS = 16;
  private static final SecureRandom RANDOM = new SecureRandom();
  private MsgEndpoint[] endpoints = new MsgEndpoint[8];
  private int[] tags = new int[8];
  /** Index below which all entries are in use. */
  private int firstFree;

  /** @return the endpoint's number, never 0 @throws IllegalStateException if the queue has 65,536 endpoints */
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
