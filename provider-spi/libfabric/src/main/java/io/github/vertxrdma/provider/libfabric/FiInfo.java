package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ffi.Memory;

/** A struct fi_info, which this object frees; fi_getinfo(3). Not thread-safe. */
final class FiInfo implements AutoCloseable {
  private static final long MODES = Fi.CONTEXT | Fi.CONTEXT2 | Fi.RX_CQ_DATA;

  private final Libfabric library;
  private long address;

  FiInfo(Libfabric library, long address) {
    this.library = library;
    this.address = address;
  }

  long address() {
    return address;
  }

  FiInfo copy() {
    return library.copyOf(address);
  }

  private long attribute(int pointer) {
    return Memory.getLong(address + pointer);
  }

  String provider() {
    return Memory.getString(Memory.getLong(attribute(Structs.INFO_FABRIC_ATTR) + Structs.FABRIC_PROV_NAME));
  }

  String domain() {
    return Memory.getString(Memory.getLong(attribute(Structs.INFO_DOMAIN_ATTR) + Structs.DOMAIN_NAME));
  }

  String fabric() {
    return Memory.getString(Memory.getLong(attribute(Structs.INFO_FABRIC_ATTR) + Structs.FABRIC_NAME));
  }

  /** Returns the kernel's name of the adapter, or null if the provider names none. */
  String adapter() {
    long nic = Memory.getLong(address + Structs.INFO_NIC);
    long device = nic == 0 ? 0 : Memory.getLong(nic + Structs.NIC_DEVICE_ATTR);
    return device == 0 ? null : Memory.getString(Memory.getLong(device + Structs.DEVICE_NAME));
  }

  int endpointType() {
    return number(Structs.INFO_EP_ATTR, Structs.EP_TYPE);
  }

  long caps() {
    return Memory.getLong(address + Structs.INFO_CAPS);
  }

  long mode() {
    return Memory.getLong(address + Structs.INFO_MODE);
  }

  int mrMode() {
    return number(Structs.INFO_DOMAIN_ATTR, Structs.DOMAIN_MR_MODE);
  }

  int addressFormat() {
    return Memory.getInt(address + Structs.INFO_ADDR_FORMAT);
  }

  /** Returns a 64-bit member of the attributes that fi_info points to at {@code pointer}. */
  long size(int pointer, int member) {
    return Memory.getLong(attribute(pointer) + member);
  }

  /** Returns a 32-bit member of the attributes that fi_info points to at {@code pointer}. */
  int number(int pointer, int member) {
    return Memory.getInt(attribute(pointer) + member);
  }

  EndpointAddress source() {
    return addressAt(Structs.INFO_SRC_ADDR, Structs.INFO_SRC_ADDRLEN);
  }

  EndpointAddress destination() {
    return addressAt(Structs.INFO_DEST_ADDR, Structs.INFO_DEST_ADDRLEN);
  }

  private EndpointAddress addressAt(int pointer, int length) {
    long at = Memory.getLong(address + pointer);
    return at == 0 ? null : AddressFormats.fromNative(addressFormat(), at, (int) Memory.getLong(address + length));
  }

  /** Returns the handle of a connection request, or 0 after an endpoint has taken it over. */
  long handle() {
    return Memory.getLong(address + Structs.INFO_HANDLE);
  }

  void handleTaken() {
    Memory.putLong(address + Structs.INFO_HANDLE, 0);
  }

  // Setters. Strings and addresses are allocated with malloc, because fi_freeinfo frees them.

  /** Fills empty hints for fi_getinfo(3). {@code provider} is null for all. */
  void request(String provider, int endpointType, long caps, int mrModes, long txOpFlags) {
    provider(provider);
    Memory.putLong(address + Structs.INFO_CAPS, caps);
    Memory.putLong(address + Structs.INFO_MODE, MODES);
    Memory.putInt(attribute(Structs.INFO_EP_ATTR) + Structs.EP_TYPE, endpointType);
    Memory.putInt(attribute(Structs.INFO_DOMAIN_ATTR) + Structs.DOMAIN_MR_MODE, mrModes);
    Memory.putInt(attribute(Structs.INFO_DOMAIN_ATTR) + Structs.DOMAIN_THREADING, Fi.THREAD_SAFE);
    Memory.putLong(attribute(Structs.INFO_TX_ATTR) + Structs.TX_OP_FLAGS, txOpFlags);
  }

  FiInfo provider(String name) {
    if (name != null) {
      Memory.putLong(attribute(Structs.INFO_FABRIC_ATTR) + Structs.FABRIC_PROV_NAME, Memory.allocateString(name));
    }
    return this;
  }

  /** Sets the local address; null for none. An IP address also sets the address format, IPv4 or IPv6. */
  FiInfo source(EndpointAddress source) {
    replace(Structs.INFO_DEST_ADDR, Structs.INFO_DEST_ADDRLEN, null);
    if (source != null && AddressFormats.isInet(addressFormat()) && source.format().equals(EndpointAddress.INET)) {
      Memory.putInt(address + Structs.INFO_ADDR_FORMAT, AddressFormats.format(source));
    }
    replace(Structs.INFO_SRC_ADDR, Structs.INFO_SRC_ADDRLEN, source == null ? null : AddressFormats.toNative(addressFormat(), source));
    return this;
  }

  private void replace(int pointer, int length, byte[] bytes) {
    Memory.free(Memory.getLong(address + pointer));
    long at = 0;
    if (bytes != null) {
      at = Memory.allocate(bytes.length);
      Memory.putBytes(at, bytes);
    }
    Memory.putLong(address + pointer, at);
    Memory.putLong(address + length, bytes == null ? 0 : bytes.length);
  }

  @Override
  public void close() {
    if (address != 0) {
      library.freeInfo(address);
      address = 0;
    }
  }
}
