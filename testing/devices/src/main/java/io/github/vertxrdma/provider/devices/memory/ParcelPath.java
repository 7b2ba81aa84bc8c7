package io.github.vertxrdma.provider.devices.memory;

/**
 * Path between two endpoints through the fabric's courier.
 *
 * @param from number of the sending domain
 * @param to number of the receiving domain; -1 if there is none
 * @param flow identifies items that keep their order
 */
record ParcelPath(InMemoryFabric fabric, int from, int to, Object flow) {

  void carry(Courier.Cargo cargo, InMemoryQueue queue, Arrival arrival) {
    fabric.courier.carry(new Parcel(this, cargo, queue, arrival));
  }

  boolean completesEarly() {
    return fabric.courier.completesEarly(from);
  }

  /** Returns whether an access is executed and ends during its post. */
  boolean isDirect() {
    return fabric.courier instanceof DirectCourier;
  }

  ParcelPath back() {
    return new ParcelPath(fabric, to, from, flow);
  }
}
