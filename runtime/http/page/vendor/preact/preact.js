const MODE_HYDRATE = 1 << 5;
const MODE_SUSPENDED = 1 << 7;
const INSERT_VNODE = 1 << 2;
const MATCHED = 1 << 1;
const REF_DETACHED = 1 << 3;

const COMPONENT_PROCESSING_EXCEPTION = 1 << 0;
const COMPONENT_PENDING_ERROR = 1 << 1;
const COMPONENT_FORCE = 1 << 2;
const COMPONENT_DIRTY = 1 << 3;

const RESET_MODE = ~(MODE_HYDRATE | MODE_SUSPENDED);

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const XHTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
const MATH_NAMESPACE = 'http://www.w3.org/1998/Math/MathML';

const NULL = null;
const UNDEFINED = undefined;
const VNODE_MARKER = Symbol.for('pv');
const EMPTY_OBJ = ({});
const EMPTY_ARR = [];

const MATHML_TOKEN_ELEMENTS = /^m(i|n|o|s|text|space)$/;

const LIS_CANDIDATE = 1 << 4;

const isArray = Array.isArray;
const slice = EMPTY_ARR.slice;
const assign = Object.assign;

function removeNode(node) {
	if (node && node.parentNode) node.remove();
}

let vnodeId = 0;

function createElement(type, props, children) {
	let normalizedProps = {},
		key,
		ref,
		i,
		length = arguments.length;
	for (i in props) {
		if (i == 'key') key = props[i];
		else if (i == 'ref' && typeof type != 'function') ref = props[i];
		else normalizedProps[i] = props[i];
	}

	if (length > 2) {
		normalizedProps.children = length > 3 ? slice.call(arguments, 2) : children;
	}

	return createVNode(type, normalizedProps, key, ref, NULL);
}

function createVNode(type, props, key, ref, original) {
	
	const vnode = {
		type,
		props,
		key,
		ref,
		_children: NULL,
		_parent: NULL,
		_depth: 0,
		_dom: NULL,
		_component: NULL,
		constructor: VNODE_MARKER,
		_original: original || ++vnodeId,
		_index: -1,
		_flags: 0
	};

	if (!original && options.vnode) options.vnode(vnode);

	return vnode;
}

function Fragment(props) {
	return props.children;
}

const isValidElement = vnode =>
	vnode != NULL && vnode.constructor === VNODE_MARKER;

function BaseComponent(props, context) {
	this.props = props;
	this.context = context;
	this._bits = 0;
}

BaseComponent.prototype.setState = function (update, callback) {
	let s = this._nextState;
	if (!s || s == this.state) {
		s = this._nextState = assign({}, this.state);
	}

	if (typeof update == 'function') {
		update = update(assign({}, s), this.props);
	}

	if (update) {
		assign(s, update);
	} else {
		return;
	}

	if (this._vnode) {
		if (callback) {
			this._stateCallbacks.push(callback);
		}
		enqueueRender(this);
	}
};

BaseComponent.prototype.forceUpdate = function (callback) {
	if (this._vnode) {
		this._bits |= COMPONENT_FORCE;
		if (callback) this._renderCallbacks.push(callback);
		enqueueRender(this);
	}
};

BaseComponent.prototype.render = Fragment;

function getDomSibling(vnode, childIndex) {
	if (childIndex == NULL) {
		return vnode._parent && getDomSibling(vnode._parent, vnode._index + 1);
	}

	let sibling;
	for (; childIndex < vnode._children.length; childIndex++) {
		sibling = vnode._children[childIndex];

		if (sibling && sibling._dom) {
			return sibling._dom;
		}
	}

	return typeof vnode.type == 'function' && !vnode.props._parentDom
		? getDomSibling(vnode)
		: NULL;
}

function renderComponent(component) {
	const oldVNode = component._vnode,
		oldDom = oldVNode._dom,
		commitQueue = [],
		refQueue = [];

	const parentDom = component._parentDom;
	if (parentDom) {
		const newVNode = assign({ constructor: VNODE_MARKER }, oldVNode);
		newVNode._original = oldVNode._original + 1;
		if (options.vnode) options.vnode(newVNode);

		diff(
			parentDom,
			newVNode,
			oldVNode,
			component._globalContext,
			parentDom.namespaceURI,
			oldVNode._flags & MODE_HYDRATE ? [oldDom] : NULL,
			commitQueue,
			oldDom || getDomSibling(oldVNode),
			oldVNode._flags & MODE_HYDRATE,
			refQueue
		);

		newVNode._original = oldVNode._original;
		newVNode._parent._children[newVNode._index] = newVNode;
		commitRoot(commitQueue, newVNode, refQueue);
		oldVNode._parent = oldVNode._dom = NULL;

		if (newVNode._dom != oldDom) {
			updateParentDomPointers(newVNode);
		}
	}
}

function updateParentDomPointers(vnode) {
	if ((vnode = vnode._parent) && vnode._component && !vnode.props._parentDom) {
		vnode._dom = NULL;
		vnode._children.some(child => child && (vnode._dom = child._dom));

		return updateParentDomPointers(vnode);
	}
}

const rerenderQueue = [];

let prevDebounce,
	rerenderCount = 0;

function resetRenderCount() {
	rerenderCount = 0;
}

function enqueueRender(c) {
	if (
		(!(c._bits & COMPONENT_DIRTY) &&
			((c._bits |= COMPONENT_DIRTY),
			rerenderQueue.push(c),
			!rerenderCount++)) ||
		prevDebounce != options.debounceRendering
	) {
		prevDebounce = options.debounceRendering;
		(prevDebounce || queueMicrotask)(process);
	}
}

const depthSort = (a, b) => a._vnode._depth - b._vnode._depth;

function process() {
	try {
		let c,
			l = 1;

		while (rerenderQueue.length) {
			if (rerenderQueue.length > l) {
				rerenderQueue.sort(depthSort);
			}

			c = rerenderQueue.shift();
			l = rerenderQueue.length;

			if (c._bits & COMPONENT_DIRTY) {
				renderComponent(c);
			}
		}
	} finally {
		if ((rerenderCount = rerenderQueue.length)) {
			(prevDebounce || queueMicrotask)(process);
		}
	}
}

let EVENT_DISPATCHED = Symbol();

function setStyle(style, key, value) {
	if (value == NULL) value = '';
	if (key[0] == '-') {
		style.setProperty(key, value);
	} else {
		style[key] = value;
	}
}

const CAPTURE_REGEX = /(PointerCapture)$|Capture$/i;

let eventClock = 0;

function setProperty(dom, name, value, oldValue, namespace) {
	let useCapture;

	if (name == 'style') {
		if (typeof value == 'string') {
			dom.style.cssText = value;
		} else {
			if (typeof oldValue == 'string') {
				dom.style.cssText = oldValue = '';
			}

			if (oldValue) {
				for (name in oldValue) {
					if (!(value && name in value)) {
						setStyle(dom.style, name);
					}
				}
			}

			if (value) {
				for (name in value) {
					if (!oldValue || value[name] != oldValue[name]) {
						setStyle(dom.style, name, value[name]);
					}
				}
			}
		}
	}
	else if (name[0] == 'o' && name[1] == 'n') {
		if (typeof value != 'function') value = NULL;
		if (typeof oldValue != 'function') oldValue = NULL;

		(dom._listeners || (dom._listeners = {}))[name] = value;

		if (!value || !oldValue) {
			const proxy =
				eventProxies[name] || (eventProxies[name] = createEventProxy(name));
			(dom._attached || (dom._attached = {}))[name] = eventClock;
			useCapture = name != (name = name.replace(CAPTURE_REGEX, '$1'));

			name = name.slice(2);
			if (name[0] < 'a') name = name.toLowerCase();

			if (value) {
				dom.addEventListener(name, proxy, useCapture);
			} else {
				dom.removeEventListener(name, proxy, useCapture);
			}
		}
	} else {
		if (namespace == SVG_NAMESPACE) {
			name = name.replace(/xlink(H|:h)/, 'h').replace(/sName$/, 's');
		} else if (
			name != 'width' &&
			name != 'height' &&
			name != 'href' &&
			name != 'list' &&
			name != 'form' &&
			name != 'tabIndex' &&
			name != 'download' &&
			name != 'rowSpan' &&
			name != 'colSpan' &&
			name != 'role' &&
			name != 'popover' &&
			name in dom
		) {
			try {
				dom[name] = value == NULL ? '' : value;
				return;
			} catch (e) {}
		}

		if (typeof value == 'function') return;
		if (value != NULL && (value !== false || name[4] == '-')) {
			dom.setAttribute(name, name == 'popover' && value == true ? '' : value);
		} else {
			dom.removeAttribute(name);
		}
	}
}

function createEventProxy(name) {
	return function (e) {
		let eventHandler = this._listeners;
		if (eventHandler) {
			eventHandler = eventHandler[name];
			if (e[EVENT_DISPATCHED] == NULL) {
				e[EVENT_DISPATCHED] = eventClock++;

			} else if (e[EVENT_DISPATCHED] < this._attached[name]) {
				return;
			}
			return eventHandler(options.event ? options.event(e) : e);
		}
	};
}

const eventProxies = {};

function diffChildren(
	parentDom,
	renderResult,
	newParentVNode,
	oldParentVNode,
	globalContext,
	namespace,
	excessDomChildren,
	commitQueue,
	oldDom,
	isHydrating,
	refQueue
) {
	let i,
		
		oldVNode,
		
		childVNode,
		
		newDom,
		
		firstChildDom;

	
	let oldChildren = oldParentVNode._children || EMPTY_ARR;

	let newChildrenLength = renderResult.length;

	oldDom = constructNewChildrenArray(
		newParentVNode,
		renderResult,
		oldChildren,
		oldDom,
		newChildrenLength
	);

	for (i = 0; i < newChildrenLength; i++) {
		childVNode = newParentVNode._children[i];
		if (childVNode == NULL) continue;

		oldVNode =
			(~childVNode._index && oldChildren[childVNode._index]) || EMPTY_OBJ;

		childVNode._index = i;

		let result = diff(
			parentDom,
			childVNode,
			oldVNode,
			globalContext,
			namespace,
			excessDomChildren,
			commitQueue,
			oldDom,
			isHydrating,
			refQueue
		);

		newDom = childVNode._dom;
		if (oldVNode.ref != childVNode.ref || oldVNode._flags & REF_DETACHED) {
			if (oldVNode.ref) applyRef(oldVNode.ref, NULL, childVNode, oldVNode);
			if (childVNode.ref) {
				refQueue.push(
					childVNode.ref,
					childVNode._component || newDom,
					childVNode
				);
			}
		}

		firstChildDom = firstChildDom || newDom;

		if (childVNode._flags & INSERT_VNODE) {
			oldDom = insert(childVNode, oldDom, parentDom, !oldVNode._original);

			if (oldVNode._dom) {
				oldVNode._dom = NULL;
			}
		} else if (typeof childVNode.type == 'function' && result !== UNDEFINED) {
			oldDom = result;
		} else if (newDom) {
			oldDom = newDom.nextSibling;
		}

		childVNode._flags &= ~(INSERT_VNODE | LIS_CANDIDATE);
	}

	newParentVNode._dom = firstChildDom;

	return oldDom;
}

function constructNewChildrenArray(
	newParentVNode,
	renderResult,
	oldChildren,
	oldDom,
	newChildrenLength
) {
	
	let i;
	
	let childVNode;
	
	let oldVNode;

	let oldChildrenLength = oldChildren.length,
		remainingOldChildren = oldChildrenLength;

	let skew = 0;

	let moved = 0;

	
	let newChildren = (newParentVNode._children = Array(newChildrenLength));
	for (i = 0; i < newChildrenLength; i++) {
		childVNode = renderResult[i];

		if (
			childVNode == NULL ||
			typeof childVNode == 'boolean' ||
			typeof childVNode == 'function'
		) {
			newChildren[i] = NULL;
			continue;
		}
		else if (
			typeof childVNode != 'object' ||
			childVNode.constructor === String
		) {
			childVNode = newChildren[i] = createVNode(NULL, childVNode);
		} else if (isArray(childVNode)) {
			childVNode = newChildren[i] = createVNode(Fragment, {
				children: childVNode
			});
		} else if (childVNode.constructor === VNODE_MARKER && childVNode._depth) {
			childVNode = newChildren[i] = createVNode(
				childVNode.type,
				childVNode.props,
				childVNode.key,
				childVNode.ref,
				childVNode._original
			);
		} else {
			newChildren[i] = childVNode;
		}

		const skewedIndex = i + skew;
		childVNode._parent = newParentVNode;
		childVNode._depth = newParentVNode._depth + 1;

		const matchingIndex = (childVNode._index = findMatchingIndex(
			childVNode,
			oldChildren,
			skewedIndex,
			remainingOldChildren
		));

		oldVNode = NULL;
		if (~matchingIndex) {
			oldVNode = oldChildren[matchingIndex];
			remainingOldChildren--;
			if (oldVNode) {
				oldVNode._flags |= MATCHED;
			}
		}

		if (!oldVNode || !oldVNode._original) {
			if (!~matchingIndex) {
				if (newChildrenLength > oldChildrenLength) {
					skew--;
				} else if (newChildrenLength < oldChildrenLength) {
					skew++;
				}
			}

			if (typeof childVNode.type != 'function') {
				childVNode._flags |= INSERT_VNODE;
			}
		} else {
			childVNode._flags |= LIS_CANDIDATE;

			if (matchingIndex == skewedIndex - 1) {
				skew--;
			} else if (matchingIndex == skewedIndex + 1) {
				skew++;
			} else if (matchingIndex != skewedIndex) {
				if (matchingIndex > skewedIndex) {
					skew--;
				} else {
					skew++;
				}

				moved = 1;
			}
		}
	}

	if (moved) {
		
		let tails = [];
		
		let lisLengths = [];
		for (i = 0; i < newChildrenLength; i++) {
			childVNode = newChildren[i];
			if (childVNode && childVNode._flags & LIS_CANDIDATE) {
				skew = 0;
				let hi = tails.length;
				while (skew < hi) {
					const mid = (skew + hi) >> 1;
					if (tails[mid] < childVNode._index) {
						skew = mid + 1;
					} else {
						hi = mid;
					}
				}
				tails[skew] = childVNode._index;
				lisLengths[i] = skew + 1;
			}
		}

		skew = tails.length;
		while (i--) {
			if (lisLengths[i]) {
				if (lisLengths[i] == skew) {
					skew--;
				} else {
					newChildren[i]._flags |= INSERT_VNODE;
				}
			}
		}
	}

	if (remainingOldChildren) {
		for (i = 0; i < oldChildrenLength; i++) {
			oldVNode = oldChildren[i];
			if (oldVNode && !(oldVNode._flags & MATCHED)) {
				if (oldVNode._dom == oldDom) {
					oldDom = getDomSibling(oldVNode);
				}

				unmount(oldVNode, oldVNode);
			}
		}
	}

	return oldDom;
}

function insert(parentVNode, oldDom, parentDom, isMounting) {
	if (typeof parentVNode.type == 'function') {
		if (parentVNode.props._parentDom) return oldDom;
		let children = parentVNode._children;
		if (children) {
			for (let i = 0; i < children.length; i++) {
				if (children[i]) {
					children[i]._parent = parentVNode;
					oldDom = insert(children[i], oldDom, parentDom, false);
				}
			}
		}

		return oldDom;
	} else {
		if (oldDom && !oldDom.parentNode) {
			oldDom = getDomSibling(parentVNode);
			if (oldDom && !oldDom.parentNode) oldDom = NULL;
		}

		let dom = parentVNode._dom;
		let next = oldDom;
		while (next && next.nodeType == 8) next = next.nextSibling;

		if (dom != next) {
			if (!isMounting && parentDom.moveBefore && dom.parentNode) {
				parentDom.moveBefore(dom, oldDom);
			} else {
				parentDom.insertBefore(dom, oldDom || NULL);
			}
		}
		oldDom = dom;
	}

	while (
		(oldDom = oldDom && oldDom.nextSibling) &&
		oldDom.nodeType == 8 &&
		!oldDom.data.startsWith('$s')
	);

	return oldDom;
}

function findMatchingIndex(
	childVNode,
	oldChildren,
	skewedIndex,
	remainingOldChildren
) {
	const key = childVNode.key;
	const type = childVNode.type;
	let oldVNode = oldChildren[skewedIndex];
	const matched = oldVNode && !(oldVNode._flags & MATCHED);

	let shouldSearch =
		remainingOldChildren > (matched ? 1 : 0);

	if (
		(oldVNode === NULL && key == NULL) ||
		(matched && key == oldVNode.key && type == oldVNode.type)
	) {
		return skewedIndex;
	} else if (shouldSearch) {
		let x;
		for (x = skewedIndex - 1; x >= 0; x--) {
			oldVNode = oldChildren[x];
			if (
				oldVNode &&
				!(oldVNode._flags & MATCHED) &&
				key == oldVNode.key &&
				type == oldVNode.type
			)
				return x;
		}
		for (x = skewedIndex + 1; x < oldChildren.length; x++) {
			oldVNode = oldChildren[x];
			if (
				oldVNode &&
				!(oldVNode._flags & MATCHED) &&
				key == oldVNode.key &&
				type == oldVNode.type
			)
				return x;
		}
	}

	return -1;
}

function diff(
	parentDom,
	newVNode,
	oldVNode,
	globalContext,
	namespace,
	excessDomChildren,
	commitQueue,
	oldDom,
	isHydrating,
	refQueue
) {
	
	let tmp,
		resumed,
		newType = newVNode.type;

	if (newVNode.constructor !== VNODE_MARKER) return NULL;

	if (
		oldVNode._flags & MODE_SUSPENDED &&
		((isHydrating = oldVNode._flags & MODE_HYDRATE),
		(tmp = oldVNode._component._excess))
	) {
		newVNode._flags |= isHydrating;
		resumed = excessDomChildren = [];
		if (tmp.nodeType == 8) {
			oldDom = rangeEnd(tmp, excessDomChildren);
		} else {
			excessDomChildren.push(tmp);
		}
		oldDom = excessDomChildren[0] || oldDom;
	}

	if ((tmp = options._diff)) tmp(newVNode);

	outer: if (typeof newType == 'function') {
		let oldCommitQueueLength = commitQueue.length;
		try {
			let c,
				oldProps,
				oldState,
				snapshot,
				newProps = newVNode.props;
			const isClassComponent = (tmp = newType.prototype) && tmp.render;

			tmp = newType.contextType;
			const provider = tmp && globalContext[tmp._id];
			const componentContext = tmp
				? provider
					? provider.props.value
					: tmp._defaultValue
				: globalContext;

			if ((c = oldVNode._component)) {
				newVNode._component = c;
				if (c._bits & COMPONENT_PENDING_ERROR) {
					c._bits |= COMPONENT_PROCESSING_EXCEPTION;
				}
			} else {
				if (isClassComponent) {
					newVNode._component = c = new newType(newProps, componentContext);
				} else {
					newVNode._component = c = new BaseComponent(
						newProps,
						componentContext
					);

					c.constructor = newType;
					c.render = doRender;
				}
				if (provider) provider.sub(c);

				if (!c.state) c.state = {};
				c._globalContext = globalContext;
				c._bits |= COMPONENT_DIRTY;
				c._renderCallbacks = [];
				c._stateCallbacks = [];
			}

			if (isClassComponent) {
				if (!c._nextState) c._nextState = c.state;

				if (newType.getDerivedStateFromProps) {
					if (c._nextState == c.state) {
						c._nextState = assign({}, c._nextState);
					}

					assign(
						c._nextState,
						newType.getDerivedStateFromProps(newProps, c._nextState)
					);
				}
			}

			oldProps = c.props;
			oldState = c.state;
			c._vnode = newVNode;

			if (!oldVNode._component) {
				if (
					isClassComponent &&
					!newType.getDerivedStateFromProps &&
					c.componentWillMount
				) {
					c.componentWillMount();
				}

				if (isClassComponent && c.componentDidMount) {
					c._renderCallbacks.push(c.componentDidMount);
				}
			} else {
				if (
					newProps !== oldProps &&
					isClassComponent &&
					!newType.getDerivedStateFromProps &&
					c.componentWillReceiveProps
				) {
					c.componentWillReceiveProps(newProps, componentContext);
				}

				if (
					(newVNode._original == oldVNode._original &&
						!(c._bits & COMPONENT_DIRTY)) ||
					(!(c._bits & COMPONENT_FORCE) &&
						c.shouldComponentUpdate &&
						c.shouldComponentUpdate(
							newProps,
							c._nextState,
							componentContext
						) === false)
				) {
					if (newVNode._original != oldVNode._original) {
						c.props = newProps;
						c.state = c._nextState;
						c._bits &= ~COMPONENT_DIRTY;
					}

					newVNode._dom = oldVNode._dom;
					newVNode._children = oldVNode._children;
					newVNode._children.some(vnode => {
						if (vnode) vnode._parent = newVNode;
					});

					EMPTY_ARR.push.apply(c._renderCallbacks, c._stateCallbacks);
					c._stateCallbacks = [];

					if (c._renderCallbacks.length) {
						commitQueue.push(c);
					}

					oldDom = getDomSibling(oldVNode);

					break outer;
				}

				if (c.componentWillUpdate) {
					c.componentWillUpdate(newProps, c._nextState, componentContext);
				}

				if (isClassComponent && c.componentDidUpdate) {
					c._renderCallbacks.push(() => {
						c.componentDidUpdate(oldProps, oldState, snapshot);
					});
				}
			}

			c.context = componentContext;
			c.props = newProps;
			c._parentDom = parentDom;
			c._bits &= ~COMPONENT_FORCE;

			let renderHook = options._render,
				count = isClassComponent ? 25 : 0;
			do {
				c._bits &= ~COMPONENT_DIRTY;
				if (renderHook) renderHook(newVNode);
				tmp = c.render(c.props, (c.state = c._nextState), c.context);
			} while (c._bits & COMPONENT_DIRTY && ++count < 25);

			if (isClassComponent) {
				EMPTY_ARR.push.apply(c._renderCallbacks, c._stateCallbacks);
				c._stateCallbacks = [];
			}

			c.state = c._nextState;

			if (c.getChildContext) {
				globalContext = assign({}, globalContext, c.getChildContext());
			}

			if (
				isClassComponent &&
				oldVNode._component &&
				c.getSnapshotBeforeUpdate
			) {
				snapshot = c.getSnapshotBeforeUpdate(oldProps, oldState);
			}

			const renderResult =
				tmp && tmp.type === Fragment && tmp.key == NULL
					? tmp.props.children
					: tmp;

			if (newProps._parentDom) {
				tmp = oldDom;
				parentDom = newProps._parentDom;
				namespace = parentDom.namespaceURI;
				isHydrating = excessDomChildren = NULL;

				if (oldVNode.props && oldVNode.props._parentDom != parentDom) {
					(oldVNode._children).some(child => {
						if (child) unmount(child, child);
					});
					oldVNode._children = NULL;
				}

				oldDom = oldVNode._children ? getDomSibling(oldVNode, 0) : NULL;
			}

			oldDom = diffChildren(
				parentDom,
				isArray(renderResult) ? renderResult : [renderResult],
				newVNode,
				oldVNode,
				globalContext,
				namespace,
				excessDomChildren,
				commitQueue,
				oldDom,
				isHydrating,
				refQueue
			);

			if (newProps._parentDom) {
				newVNode._dom = NULL;
				oldDom = tmp;
			}

			newVNode._flags &= RESET_MODE;

			if (resumed) resumed.some(removeNode);

			if (c._renderCallbacks.length) {
				commitQueue.push(c);
			}

			if (c._bits & COMPONENT_PROCESSING_EXCEPTION) {
				c._bits &= ~(COMPONENT_PROCESSING_EXCEPTION | COMPONENT_PENDING_ERROR);
			}
		} catch (e) {
			commitQueue.length = oldCommitQueueLength;
			newVNode._original = NULL;
			if (isHydrating || excessDomChildren) {
				if (e && e.then) {
					let startMarker, end;

					newVNode._flags |= MODE_SUSPENDED | isHydrating;

					if (excessDomChildren) {
						let i = excessDomChildren.indexOf(oldDom || UNDEFINED),
							child;
						if (!~i) i = excessDomChildren.length;

						while ((child = excessDomChildren[i - 1]) && child.nodeType == 8) {
							i--;
						}

						for (; i < excessDomChildren.length; i++) {
							if ((child = excessDomChildren[i])) {
								excessDomChildren[i] = NULL;
								if (startMarker) {
									if (child == end) break;
								} else if (child.nodeType != 8) {
									break;
								} else if (child.data.startsWith('$s')) {
									end = rangeEnd((startMarker = child));
								}
							}
						}
					}

					if (!startMarker) {
						while (oldDom && oldDom.nodeType == 8 && oldDom.nextSibling) {
							oldDom = oldDom.nextSibling;
						}
						startMarker = oldDom;
					}
					startMarker =
						newVNode._component._excess ||
						(newVNode._component._excess = startMarker);
					if ((tmp = rangeEnd(startMarker))) {
						newVNode._dom = startMarker;
						oldDom = tmp;
					} else newVNode._dom = oldDom;
					oldDom = oldDom && oldDom.nextSibling;
				} else if (excessDomChildren) {
					excessDomChildren.some(removeNode);
				}
			} else {
				newVNode._dom = oldVNode._dom;
			}

			if (!newVNode._children) {
				newVNode._children = oldVNode._children || [];
			}

			if (!(e && e.then)) markAsForce(newVNode);
			options._catchError(e, newVNode, oldVNode);
		}
	} else {
		oldDom = newVNode._dom = diffElementNodes(
			oldVNode._dom,
			newVNode,
			oldVNode,
			globalContext,
			namespace,
			excessDomChildren,
			commitQueue,
			isHydrating,
			refQueue,
			parentDom
		);
	}

	if ((tmp = options.diffed)) tmp(newVNode);

	return oldDom;
}

function rangeEnd(start, nodes) {
	if (start && start.nodeType == 8 && start.data.startsWith('$s')) {
		for (let depth = 1; (start = start.nextSibling); ) {
			if (start.nodeType == 8) {
				if (start.data.startsWith('$s')) depth++;
				else if (start.data.startsWith('/$s') && !--depth) return start;
			}
			if (nodes) nodes.push(start);
		}
	}
}

function markAsForce(vnode) {
	if (vnode) {
		if (vnode._component) vnode._component._bits |= COMPONENT_FORCE;
		if (vnode._children) vnode._children.some(markAsForce);
	}
}

function commitRoot(commitQueue, root, refQueue) {
	for (let i = 0; i < refQueue.length; ) {
		applyRef(refQueue[i++], refQueue[i++], refQueue[i++]);
	}

	if (options._commit) options._commit(root, commitQueue);

	commitQueue.some(c => {
		try {
			commitQueue = c._renderCallbacks;
			c._renderCallbacks = [];
			commitQueue.some(cb => {
				cb.call(c);
			});
		} catch (e) {
			options._catchError(e, c._vnode);
		}
	});
}

function diffElementNodes(
	dom,
	newVNode,
	oldVNode,
	globalContext,
	namespace,
	excessDomChildren,
	commitQueue,
	isHydrating,
	refQueue,
	parentDom
) {
	let oldProps = oldVNode.props || EMPTY_OBJ;
	const newProps = newVNode.props;
	const nodeType = (newVNode.type);
	
	let i;
	
	let newHtml;
	
	let oldHtml;
	
	let newChildren;
	let value;
	let inputValue;
	let checked;

	if (nodeType == 'svg') namespace = SVG_NAMESPACE;
	else if (nodeType == 'math') namespace = MATH_NAMESPACE;
	else if (!namespace) namespace = XHTML_NAMESPACE;

	if (excessDomChildren) {
		for (i = 0; i < excessDomChildren.length; i++) {
			value = excessDomChildren[i];

			if (
				value &&
				(nodeType ? value.localName == nodeType : value.nodeType == 3)
			) {
				dom = value;
				excessDomChildren[i] = NULL;
				break;
			}
		}
	}

	if (!dom) {
		const doc = parentDom.ownerDocument || document;
		if (!nodeType) {
			return doc.createTextNode(newProps);
		}

		dom = doc.createElementNS(
			namespace,
			nodeType,
			newProps.is ? newProps : parentDom
		);

		if (isHydrating) {
			if (options._hydrationMismatch)
				options._hydrationMismatch(newVNode, excessDomChildren);
			isHydrating = false;
		}
		excessDomChildren = NULL;
	}

	if (!nodeType) {
		if (oldProps !== newProps && (!isHydrating || dom.data != newProps)) {
			dom.data = newProps;
		}
	} else {
		parentDom = (nodeType == 'template' && dom.content) || dom;

		excessDomChildren =
			nodeType == 'textarea' && newProps.defaultValue != NULL
				? NULL
				: excessDomChildren && slice.call(parentDom.childNodes);

		if (!isHydrating && excessDomChildren) {
			oldProps = {};
			for (i = 0; i < dom.attributes.length; i++) {
				value = dom.attributes[i];
				oldProps[value.name] = value.value;
			}
		}

		for (i in oldProps) {
			value = oldProps[i];
			if (i == 'dangerouslySetInnerHTML') {
				oldHtml = value;
			} else if (
				i != 'children' &&
				!(i in newProps) &&
				!(i == 'value' && 'defaultValue' in newProps) &&
				!(i == 'checked' && 'defaultChecked' in newProps)
			) {
				setProperty(dom, i, NULL, value, namespace);
			}
		}

		for (i in newProps) {
			value = newProps[i];
			if (i == 'children') {
				newChildren = value;
			} else if (i == 'dangerouslySetInnerHTML') {
				newHtml = value;
			} else if (i == 'value') {
				inputValue = value;
			} else if (i == 'checked') {
				checked = value;
			} else if (
				(!isHydrating || typeof value == 'function') &&
				oldProps[i] !== value
			) {
				setProperty(dom, i, value, oldProps[i], namespace);
			}
		}

		if (newHtml) {
			if (
				!isHydrating &&
				(!oldHtml ||
					(newHtml.__html != oldHtml.__html && newHtml.__html != dom.innerHTML))
			) {
				dom.innerHTML = newHtml.__html;
			}

			newVNode._children = [];
		} else {
			if (oldHtml) dom.textContent = '';

			if (
				nodeType == 'foreignObject' ||
				(namespace == MATH_NAMESPACE && MATHML_TOKEN_ELEMENTS.test(nodeType))
			) {
				namespace = XHTML_NAMESPACE;
			}

			diffChildren(
				parentDom,
				isArray(newChildren) ? newChildren : [newChildren],
				newVNode,
				oldVNode,
				globalContext,
				namespace,
				excessDomChildren,
				commitQueue,
				excessDomChildren
					? excessDomChildren[0]
					: oldVNode._children && getDomSibling(oldVNode, 0),
				isHydrating,
				refQueue
			);

			if (excessDomChildren) excessDomChildren.some(removeNode);
		}

		if (!isHydrating || nodeType == 'textarea') {
			i = 'value';
			if (nodeType == 'progress' && inputValue == NULL) {
				dom.removeAttribute(i);
			} else if (
				inputValue != UNDEFINED &&
				(inputValue !== dom[i] || (nodeType == 'progress' && !inputValue))
			) {
				setProperty(dom, i, inputValue, oldProps[i], namespace);
			}

			i = 'checked';
			if (checked != UNDEFINED && checked != dom[i]) {
				setProperty(dom, i, checked, oldProps[i], namespace);
			}
		}
	}

	return dom;
}

function applyRef(ref, value, vnode, owner) {
	try {
		if (typeof ref == 'function') {
			if (value) value._refCleanup = ref(value) || 1;
			else if (
				owner &&
				(owner = owner._component || owner._dom) &&
				(value = owner._refCleanup)
			) {
				owner._refCleanup = NULL;
				if (typeof value == 'function') value();
				else ref(NULL);
			}
		} else ref.current = value;
	} catch (e) {
		options._catchError(e, vnode);
	}
}

function unmount(vnode, parentVNode, skipRemove) {
	let r, end, nodes;
	if (options.unmount) options.unmount(vnode);

	if ((r = vnode.ref) && (!r.current || r.current == vnode._dom)) {
		applyRef(r, NULL, parentVNode, vnode);
	}

	if ((r = vnode._component)) {
		if (r.componentWillUnmount) {
			try {
				r.componentWillUnmount();
			} catch (e) {
				options._catchError(e, parentVNode);
			}
		}

		r._parentDom = r._globalContext = NULL;
	}

	if ((r = vnode._children)) {
		for (let i = 0; i < r.length; i++) {
			if (r[i]) {
				unmount(
					r[i],
					parentVNode,
					typeof vnode.type == 'function'
						? skipRemove && !vnode.props._parentDom
						: true
				);
			}
		}
	}

	if (
		!skipRemove &&
		(r = vnode._component) &&
		(r = r._excess) &&
		(end = rangeEnd(r, (nodes = [])))
	) {
		if (r == vnode._dom) nodes.some(removeNode);
		removeNode(end);
		removeNode(r);
	}

	if (!skipRemove) removeNode(vnode._dom);

	vnode._dom = vnode._component = vnode._parent = NULL;
}

function doRender(props, state, context) {
	return this.constructor(props, context);
}

function _catchError(error, vnode, oldVNode, errorInfo) {
	
	let component,
		
		ctor,
		
		handled;

	for (; (vnode = vnode._parent); ) {
		if (
			(component = vnode._component) &&
			!(component._bits & COMPONENT_PROCESSING_EXCEPTION)
		) {
			component._bits |= COMPONENT_FORCE;
			try {
				ctor = component.constructor;

				if ((handled = ctor && ctor.getDerivedStateFromError)) {
					component.setState(ctor.getDerivedStateFromError(error));
				}

				if (component.componentDidCatch) {
					component.componentDidCatch(error, errorInfo || {});
					handled = 1;
				}

				if (handled && component._bits & COMPONENT_DIRTY) {
					component._bits |= COMPONENT_PENDING_ERROR;
					return;
				}
			} catch (e) {
				error = e;
			}
		}
	}

	resetRenderCount();
	throw error;
}

const options = {
	_catchError
};

function render(vnode, parentDom) {
	if (options._root) options._root(vnode, parentDom);

	if (parentDom.nodeType == 9) {
		parentDom = parentDom.documentElement;
	}

	let isHydrating = vnode && vnode._flags & MODE_HYDRATE;

	let oldVNode = isHydrating ? NULL : parentDom._children;

	parentDom._children = createVNode(Fragment, { children: [vnode] });

	let commitQueue = [],
		refQueue = [];

	diff(
		parentDom,
		parentDom._children,
		oldVNode || EMPTY_OBJ,
		EMPTY_OBJ,
		parentDom.namespaceURI,
		oldVNode
			? NULL
			: parentDom.firstChild
				? slice.call(parentDom.childNodes)
				: NULL,
		commitQueue,
		oldVNode ? oldVNode._dom : parentDom.firstChild,
		isHydrating,
		refQueue
	);

	commitRoot(commitQueue, parentDom._children, refQueue);

	parentDom._children.props.children = NULL;
}

const ObjectIs = Object.is;

let currentIndex;

let currentComponent;

let previousComponent;

let currentHook = 0;

let afterPaintEffects = [];

let unmountCleanups = [];

let oldBeforeDiff = options._diff;
let oldBeforeRender = options._render;
let oldAfterDiff = options.diffed;
let oldCommit = options._commit;
let oldBeforeUnmount = options.unmount;
let oldRoot = options._root;

const RAF_TIMEOUT = 35;
let prevRaf;

options._diff = vnode => {
	currentComponent = null;
	if (oldBeforeDiff) oldBeforeDiff(vnode);
};

options._root = (vnode, parentDom) => {
	if (vnode && parentDom._children && parentDom._children._mask) {
		vnode._mask = parentDom._children._mask;
	}

	if (oldRoot) oldRoot(vnode, parentDom);
};

options._render = vnode => {
	if (oldBeforeRender) oldBeforeRender(vnode);

	currentComponent = vnode._component;
	currentIndex = 0;

	const hooks = currentComponent.__hooks;
	if (hooks) {
		if (previousComponent == currentComponent) {
			currentComponent._renderCallbacks = [];
		} else {
			hooks._pendingEffects.some(invokeCleanup);
			hooks._pendingEffects.some(invokeEffect);
			currentIndex = 0;
		}
		hooks._pendingEffects = [];

		hooks._list.some(hookItem => {
			if (hookItem._nextValue) {
				hookItem._value = hookItem._nextValue;
			}
			hookItem._pendingArgs = hookItem._nextValue = undefined;
		});
	}
	previousComponent = currentComponent;
};

options.diffed = vnode => {
	if (oldAfterDiff) oldAfterDiff(vnode);

	const c = vnode._component;
	if (c && c.__hooks) {
		if (c.__hooks._pendingEffects.length) afterPaint(afterPaintEffects.push(c));
		c.__hooks._list.some(hookItem => {
			if (hookItem._pendingArgs) hookItem._args = hookItem._pendingArgs;
		});
	}
	previousComponent = currentComponent = null;
};

options._commit = (vnode, commitQueue) => {
	commitQueue.some(component => {
		try {
			component._renderCallbacks.some(invokeCleanup);
			component._renderCallbacks = component._renderCallbacks.filter(cb =>
				cb._value ? invokeEffect(cb) : true
			);
		} catch (e) {
			component._renderCallbacks = [
				() => {
					throw e;
				}
			];
		}
	});

	if (oldCommit) oldCommit(vnode, commitQueue);
};

options.unmount = vnode => {
	if (oldBeforeUnmount) oldBeforeUnmount(vnode);

	const c = vnode._component;
	if (c && c.__hooks) {
		let hasErrored, errorParent;
		c.__hooks._list.some(s => {
			try {
				if (s._passive && s._cleanup) {
					if (errorParent === undefined) {
						errorParent = vnode._parent;
						while (
							errorParent &&
							!(errorParent._component && errorParent._component._parentDom)
						) {
							errorParent = errorParent._parent;
						}
						errorParent = errorParent && errorParent._component;
					}
					s._passive = errorParent;
					afterPaint(unmountCleanups.push(s));
				} else {
					invokeCleanup(s);
				}
			} catch (e) {
				hasErrored = e;
			}
		});
		c.__hooks = undefined;
		if (hasErrored) options._catchError(hasErrored, c._vnode);
	}
};

function getHookState(index, type) {
	if (options._hook) {
		options._hook(currentComponent, index, currentHook || type);
	}
	currentHook = 0;

	const hooks =
		currentComponent.__hooks ||
		(currentComponent.__hooks = {
			_list: [],
			_pendingEffects: []
		});

	if (index >= hooks._list.length) {
		hooks._list.push({});
	}

	return hooks._list[index];
}

function useState(initialState) {
	currentHook = 1;
	return useReducer(invokeOrReturn, initialState);
}

function useReducer(reducer, initialState, init) {
	
	const hookState = getHookState(currentIndex++, 2);
	hookState._reducer = reducer;
	if (!hookState._component) {
		hookState._value = [
			!init ? invokeOrReturn(undefined, initialState) : init(initialState),

			action => {
				const currentValue = (hookState._nextValue || hookState._value)[0];
				const nextValue = hookState._reducer(currentValue, action);

				if (!ObjectIs(currentValue, nextValue)) {
					hookState._nextValue = [nextValue, hookState._value[1]];
					hookState._component.setState({});
				}
			}
		];

		hookState._component = currentComponent;

		if (!currentComponent._hasScuFromHooks) {
			currentComponent._hasScuFromHooks = true;
			const prevScu = currentComponent.shouldComponentUpdate;

			currentComponent.shouldComponentUpdate = function (p, s, c) {
				const hooks = this.__hooks;
				if (!hooks) return true;

				let updatedHook = false;
				let shouldUpdate = this.props != p;
				hooks._list.some(hookItem => {
					if (hookItem._nextValue) {
						updatedHook = true;
						if (!ObjectIs(hookItem._value[0], hookItem._nextValue[0])) {
							shouldUpdate = true;
						}
					}
				});

				if (prevScu) {
					const result = prevScu.call(this, p, s, c);
					return updatedHook ? result || shouldUpdate : result;
				}

				return !updatedHook || shouldUpdate;
			};
		}
	}

	return hookState._value;
}

function useEffect(callback, args) {
	
	const state = getHookState(currentIndex++, 3);
	if (!options._skipEffects && argsChanged(state._args, args)) {
		state._passive = true;
		state._value = callback;
		state._pendingArgs = args;

		currentComponent.__hooks._pendingEffects.push(state);
	}
}

function useLayoutEffect(callback, args) {
	
	const state = getHookState(currentIndex++, 4);
	if (!options._skipEffects && argsChanged(state._args, args)) {
		state._passive = false;
		state._value = callback;
		state._pendingArgs = args;

		currentComponent._renderCallbacks.push(state);
	}
}

function useRef(initialValue) {
	currentHook = 5;
	return useMemo(() => ({ current: initialValue }), []);
}

function useMemo(factory, args) {
	
	const state = getHookState(currentIndex++, 7);
	if (argsChanged(state._args, args)) {
		state._value = factory();
		state._args = args;
	}

	return state._value;
}

function useErrorBoundary(cb) {
	
	const state = getHookState(currentIndex++, 10);
	const errState = useState();
	state._value = cb;
	if (!currentComponent.componentDidCatch) {
		currentComponent.componentDidCatch = (err, errorInfo) => {
			if (state._value) state._value(err, errorInfo);
			errState[1](err);
		};
	}
	return [errState[0], () => errState[1]()];
}

function flushAfterPaintEffects() {
	let component;
	do {
		while ((component = unmountCleanups.shift())) {
			try {
				invokeCleanup(component);
			} catch (e) {
				component = (component._passive);
				options._catchError(e, { _parent: component && component._vnode });
			}
		}

		while ((component = afterPaintEffects.shift())) {
			const hooks = component.__hooks;
			if (!component._parentDom || !hooks) continue;
			try {
				hooks._pendingEffects.some(invokeCleanup);
				hooks._pendingEffects.some(invokeEffect);
				hooks._pendingEffects = [];
			} catch (e) {
				hooks._pendingEffects = [];
				options._catchError(e, component._vnode);
			}
		}
	} while (unmountCleanups.length);
}

let HAS_RAF = typeof requestAnimationFrame == 'function';

function afterNextFrame(callback) {
	const done = () => {
		clearTimeout(timeout);
		if (HAS_RAF) cancelAnimationFrame(raf);
		setTimeout(callback);
	};
	const timeout = setTimeout(done, RAF_TIMEOUT);

	let raf;
	if (HAS_RAF) {
		raf = requestAnimationFrame(done);
	}
}

function afterPaint(newQueueLength) {
	if (newQueueLength == 1 || prevRaf != options.requestAnimationFrame) {
		prevRaf = options.requestAnimationFrame;
		(prevRaf || afterNextFrame)(flushAfterPaintEffects);
	}
}

function invokeCleanup(hook) {
	const comp = currentComponent;
	let cleanup = hook._cleanup;
	if (typeof cleanup == 'function') {
		hook._cleanup = undefined;
		cleanup();
	}

	currentComponent = comp;
}

function invokeEffect(hook) {
	const comp = currentComponent;
	hook._cleanup = hook._value();
	currentComponent = comp;
}

function argsChanged(oldArgs, newArgs) {
	return (
		!oldArgs ||
		oldArgs.length != newArgs.length ||
		newArgs.some((arg, index) => !ObjectIs(arg, oldArgs[index]))
	);
}

function invokeOrReturn(arg, f) {
	return typeof f == 'function' ? f(arg) : f;
}
export { createElement as h, render, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState };
