/* Parts of mangled names that the .def files share. Those without a std::string are equal in all
 * releases and both string ABIs. */
#ifndef ROLLCALL_INTERPOSE_GLOO_MANGLED_NAMES_H_
#define ROLLCALL_INTERPOSE_GLOO_MANGLED_NAMES_H_

#define GROUP "_ZN4c10d16ProcessGroupGloo"
#define TENSOR "RN2at6TensorE"
#define TENSORS "RSt6vectorIN2at6TensorESaIS3_EE"
#define TENSOR_LISTS "RSt6vectorIS1_IN2at6TensorESaIS3_EESaIS5_EE"
#define WORK "9AsyncWork"
#define MILLISECONDS "NSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"
#define STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define OLD_STRING "Ss"
/* intrusive_ptr<Store>; a and b are substitutions, which count from the start of the name. */
#define STORE(a, b) \
  "N3c1013intrusive_ptrINS_5StoreENS" a "_6detail34intrusive_target_default_null_typeIS" b "_EEEE"
#define BUFFER "_ZN4gloo9transport3tcp13UnboundBuffer"
#define CONTEXT "_ZN4gloo7Context"
#define CONNECT "_ZN4gloo10rendezvous7Context15connectFullMesh"
#define GLOO_PREFIX_STORE "_ZN4gloo10rendezvous11PrefixStoreC1ERK"

#endif /* ROLLCALL_INTERPOSE_GLOO_MANGLED_NAMES_H_ */
