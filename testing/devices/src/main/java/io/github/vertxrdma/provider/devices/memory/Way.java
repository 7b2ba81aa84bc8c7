package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/**
 * The way from one endpoint to another over a fabric: direct, or by the courier of the fabric.
 *
 * @param from the number of the sending domain
 * @param to the number of the receiving domain; -1 if there is none
 * @param flow identifies items that stay in order
 */
record Way(InMemoryFabric fabric, int from, int to, Object flow) {

  /** Hands something over. @return false if there is no receiver, which a courier reports later */
  boolean carry(Courier.Cargo cargo, InMemoryQueue queue, Arrival arrival) {
    Courier courier = fabric.courier();
    if (courier == null) {
      return queue.offer(arrival);
    }
    courier.carry(new Parcel(from, to, flow, cargo, queue, arrival));
    return true;
  }

  int refusal(Operation operation) {
    Courier courier = fabric.courier();
    return courier == null ? Status.OK : courier.refusal(from, operation);
  }

  /** Returns whether a courier decides when something arrives. */
  boolean isCarried() {
    return fabric.courier() != null;
  }

  boolean completesEarly() {
    return isCarried() && fabric.courier().completesEarly(from);
  }

  Way back() {
    return new Way(fabric, to, from, flow);
  }
}
